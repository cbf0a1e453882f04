//! One call over HTTP: sent from a thread of its own, so that whoever waits can give up, with
//! retries until an answer begins.

use std::io::Read;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use jiff::Timestamp;

use super::body::Events;
use super::retry::{Retry, advice, may_recover, retry_after};
use super::{ApiKey, RetryConfig, TimeoutConfig};
use crate::{Cancellation, ChatError, TimeoutStage};

/// How often a waiting call looks whether it was cancelled.
const HEARTBEAT: Duration = Duration::from_millis(25);
/// Bytes of an error's body that are read and shown.
const EXCERPT_BYTES: usize = 400;

/// Makes calls to one server.
pub(crate) struct HttpClient {
    agent: ureq::Agent,
    timeouts: TimeoutConfig,
    retry: Retry,
    key: Option<ApiKey>,
}

/// One request.
pub(crate) struct Call {
    pub(crate) endpoint: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

/// What the sending thread reports.
pub(crate) enum Report {
    Head(Head),
    Bytes(Vec<u8>),
    End,
    Failed(ureq::Error),
}

/// The beginning of an answer.
pub(crate) struct Head {
    status: u16,
    content_type: String,
    retry_after: Option<String>,
}

/// A failed try.
struct Failure {
    error: ChatError,
    repeat: Repeat,
}

/// Whether a failed try may be repeated.
enum Repeat {
    Never,
    After(Option<Duration>),
}

impl HttpClient {
    pub(crate) fn new(
        timeouts: TimeoutConfig,
        retry: RetryConfig,
        key: Option<ApiKey>,
    ) -> Result<Self, ChatError> {
        timeouts.validate()?;
        retry.validate()?;
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_connect(Some(Duration::from_secs_f64(timeouts.connect_seconds)))
            .timeout_global(Some(Duration::from_secs_f64(timeouts.overall_seconds)))
            .user_agent(concat!("ee-pipeline/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        Ok(Self {
            agent,
            timeouts,
            retry: Retry::new(retry),
            key,
        })
    }

    pub(crate) fn key(&self) -> Option<&ApiKey> {
        self.key.as_ref()
    }

    /// Sends a request, again where that may help, and returns the answer as it begins.
    pub(crate) fn post(
        &self,
        call: &Call,
        cancellation: &Cancellation,
    ) -> Result<Events<'_>, ChatError> {
        let mut failed = 0;
        loop {
            let failure = match self.attempt(call, failed + 1, cancellation) {
                Ok(events) => return Ok(events),
                Err(failure) => failure,
            };
            failed += 1;
            let pause = match failure.repeat {
                Repeat::After(asked) => self.retry.pause(failed, asked),
                Repeat::Never => None,
            };
            let Some(pause) = pause else {
                return Err(failure.error);
            };
            tracing::warn!(
                target: "pipeline", error = %failure.error, attempt = failed,
                pause_milliseconds = pause.as_millis() as u64, "the call is tried again",
            );
            sleep(pause, cancellation)?;
        }
    }

    fn attempt(
        &self,
        call: &Call,
        number: u32,
        cancellation: &Cancellation,
    ) -> Result<Events<'_>, Failure> {
        let reports = self.send(call).map_err(Failure::last)?;
        let mut waiting = Waiting::new(self, call, reports);
        let limit = self.timeouts.connect_seconds + self.timeouts.first_byte_seconds;
        let head = match waiting.next(TimeoutStage::FirstByte, limit, cancellation) {
            Ok(Report::Head(head)) => head,
            Ok(_) => return Err(Failure::last(waiting.broken("the answer has no head"))),
            Err(error) => return Err(Failure::of_connection(error)),
        };
        if (200..300).contains(&head.status) {
            return Ok(Events::new(waiting, &head.content_type));
        }
        Err(self.refusal(&head, number, &mut waiting, cancellation))
    }

    fn refusal(
        &self,
        head: &Head,
        attempts: u32,
        waiting: &mut Waiting<'_>,
        cancellation: &Cancellation,
    ) -> Failure {
        let body = waiting.excerpt(cancellation);
        let asked = head.retry_after.as_deref();
        let asked = asked.and_then(|value| retry_after(value, Timestamp::now()));
        let error = ChatError::Status {
            endpoint: waiting.endpoint.clone(),
            status: head.status,
            attempts,
            excerpt: self.excerpt(&body),
            advice: advice(head.status),
        };
        let repeat = if may_recover(head.status) {
            Repeat::After(asked)
        } else {
            Repeat::Never
        };
        Failure { error, repeat }
    }

    /// The beginning of a body, on one line, without the key.
    pub(crate) fn excerpt(&self, body: &str) -> String {
        let line = body.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = self
            .key
            .as_ref()
            .map_or(line.clone(), |key| key.redact(&line));
        line.chars().take(EXCERPT_BYTES).collect()
    }

    /// Sends the request from a thread of its own.
    fn send(&self, call: &Call) -> Result<Receiver<Report>, ChatError> {
        let mut request = self.agent.post(&call.endpoint);
        for (name, value) in &call.headers {
            request = request.header(*name, value);
        }
        let (sender, receiver) = sync_channel(16);
        let body = call.body.clone();
        std::thread::Builder::new()
            .name("chat call".to_owned())
            .spawn(move || report(request.send(body.as_slice()), &sender))
            .map_err(|error| connection(&call.endpoint, error))?;
        Ok(receiver)
    }
}

/// Reads an answer to its end, or until nobody listens any more.
fn report(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>, to: &SyncSender<Report>) {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => {
            let _ = to.send(Report::Failed(error));
            return;
        }
    };
    let header = |name: &str| {
        let value = answer.headers().get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    let head = Head {
        status: answer.status().as_u16(),
        content_type: header("content-type").unwrap_or_default(),
        retry_after: header("retry-after"),
    };
    if to.send(Report::Head(head)).is_err() {
        return;
    }
    let mut reader = answer.into_body().into_reader();
    let mut buffer = vec![0; 8192];
    loop {
        let report = match reader.read(&mut buffer) {
            Ok(0) => Report::End,
            Ok(read) => Report::Bytes(buffer.iter().take(read).copied().collect()),
            Err(error) => Report::Failed(ureq::Error::from(error)),
        };
        let last = !matches!(report, Report::Bytes(_));
        if to.send(report).is_err() || last {
            return;
        }
    }
}

/// An answer under way, as seen by whoever waits for it.
pub(crate) struct Waiting<'a> {
    pub(crate) client: &'a HttpClient,
    pub(crate) endpoint: String,
    reports: Receiver<Report>,
    overall: Instant,
}

impl<'a> Waiting<'a> {
    fn new(client: &'a HttpClient, call: &Call, reports: Receiver<Report>) -> Self {
        let overall = Duration::from_secs_f64(client.timeouts.overall_seconds);
        Self {
            client,
            endpoint: call.endpoint.clone(),
            reports,
            overall: Instant::now() + overall,
        }
    }

    /// The next bytes of the body; none at its end.
    pub(crate) fn bytes(
        &mut self,
        cancellation: &Cancellation,
    ) -> Result<Option<Vec<u8>>, ChatError> {
        let limit = self.client.timeouts.next_byte_seconds;
        match self.next(TimeoutStage::NextByte, limit, cancellation)? {
            Report::Bytes(bytes) => Ok(Some(bytes)),
            _ => Ok(None),
        }
    }

    fn next(
        &mut self,
        stage: TimeoutStage,
        limit_seconds: f64,
        cancellation: &Cancellation,
    ) -> Result<Report, ChatError> {
        let patience = Instant::now() + Duration::from_secs_f64(limit_seconds);
        loop {
            if cancellation.is_cancelled() {
                return Err(ChatError::Cancelled);
            }
            match self.reports.recv_timeout(HEARTBEAT) {
                Ok(Report::Failed(error)) => return Err(self.failed(error)),
                Ok(report) => return Ok(report),
                Err(RecvTimeoutError::Disconnected) => return Err(self.broken("it broke off")),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if Instant::now() >= self.overall {
                return Err(self.timeout(TimeoutStage::Overall));
            }
            if Instant::now() >= patience {
                return Err(self.timeout(stage));
            }
        }
    }

    fn failed(&self, error: ureq::Error) -> ChatError {
        match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                self.timeout(TimeoutStage::Connect)
            }
            ureq::Error::Timeout(_) => self.timeout(TimeoutStage::Overall),
            error => connection(&self.endpoint, error),
        }
    }

    fn broken(&self, how: &'static str) -> ChatError {
        connection(&self.endpoint, how)
    }

    fn timeout(&self, stage: TimeoutStage) -> ChatError {
        let timeouts = &self.client.timeouts;
        let limit_seconds = match stage {
            TimeoutStage::Connect => timeouts.connect_seconds,
            TimeoutStage::FirstByte => timeouts.first_byte_seconds,
            TimeoutStage::NextByte => timeouts.next_byte_seconds,
            TimeoutStage::Overall => timeouts.overall_seconds,
        };
        ChatError::Timeout {
            endpoint: self.endpoint.clone(),
            stage,
            limit_seconds,
        }
    }

    /// The beginning of an error's body, as far as it arrives.
    fn excerpt(&mut self, cancellation: &Cancellation) -> String {
        let mut body = Vec::new();
        while body.len() < EXCERPT_BYTES {
            match self.bytes(cancellation) {
                Ok(Some(bytes)) => body.extend(bytes),
                _ => break,
            }
        }
        String::from_utf8_lossy(&body).into_owned()
    }
}

impl Failure {
    fn last(error: ChatError) -> Self {
        Self {
            error,
            repeat: Repeat::Never,
        }
    }

    /// A connection that failed may be tried again; a server that is merely slow would only be
    /// given the same work twice.
    fn of_connection(error: ChatError) -> Self {
        let connect = TimeoutStage::Connect;
        let repeat = match &error {
            ChatError::Connection { .. } => Repeat::After(None),
            ChatError::Timeout { stage, .. } if *stage == connect => Repeat::After(None),
            _ => Repeat::Never,
        };
        Self { error, repeat }
    }
}

fn connection(
    endpoint: &str,
    source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> ChatError {
    ChatError::Connection {
        endpoint: endpoint.to_owned(),
        source: source.into(),
    }
}

/// Sleeps, unless cancelled.
fn sleep(pause: Duration, cancellation: &Cancellation) -> Result<(), ChatError> {
    let until = Instant::now() + pause;
    loop {
        if cancellation.is_cancelled() {
            return Err(ChatError::Cancelled);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(());
        }
        std::thread::sleep(left.min(HEARTBEAT));
    }
}
