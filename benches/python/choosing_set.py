"""Puts together the questions that the default blend for units was fitted on, as a BEIR folder.

    python3 benches/python/choosing_set.py DATA OUT

DATA is the evaluation data (`assistant_threads/dev.jsonl`, Apache-2.0), OUT the folder to write.
Documents: the entries of fixtures/faq, the handbook's sections, the assistant's answers. Questions:
every other one of the two fixtures, and those of seven words or more in the even-numbered streams
whose answer is no refusal.
"""

import json
import pathlib
import re
import sys

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def faq(add_document, add_question):
    for row in rows(FIXTURES / "faq/corpus.jsonl"):
        add_document("faq-" + row["_id"], row.get("title", ""), row["text"])
    judged = (FIXTURES / "faq/qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    judged = [line.split("\t") for line in judged]
    for row in rows(FIXTURES / "faq/queries.jsonl")[::2]:
        right = [doc for query, doc, grade in judged if query == row["_id"] and int(grade) > 0]
        add_question("faq-" + row["_id"], row["text"], ["faq-" + doc for doc in right])


def sections(page):
    text = page.read_text(encoding="utf-8")
    if text.startswith("---"):
        text = text.split("---", 2)[2]
    title = ""
    for number, section in enumerate(re.split(r"\n(?=#{1,3} )", text)):
        heading = re.match(r"#+ (.*)", section.strip())
        if heading and number == 0:
            title = heading.group(1)
        body = section.strip()[heading.end():].strip() if heading else section.strip()
        named = heading.group(1) if heading else title
        if len(body) >= 20:
            yield number, title if named == title else f"{title} > {named}", body


def handbook(add_document, add_question):
    pages = {}
    for page in sorted((FIXTURES / "handbook").rglob("*.md")):
        name = page.relative_to(FIXTURES / "handbook").as_posix()
        for number, heading, body in sections(page):
            document = f"hb-{name}-{number}".replace("/", "_")
            pages.setdefault(name, []).append((document, f"{heading}\n{body}"))
            add_document(document, heading, body)
    for row in rows(FIXTURES / "handbook-questions/questions.jsonl")[::2]:
        places = [place for name in row["sources"] for place in pages.get(name, [])]
        right = [doc for doc, text in places if all(a in text for a in row["answer_contains"])]
        if row["answerable"] and right:
            add_question(row["id"], row["question"], right)


def conversations(data, add_document, add_question):
    streams = {}
    for row in rows(data / "assistant_threads/dev.jsonl"):
        streams.setdefault(row["file"], []).append(row)
    seen = set()
    for number, name in enumerate(sorted(streams)):
        asked = {}
        for row in streams[name]:
            text = row["text"]
            if row["user"] == "user":
                asked[row["thread"]] = text
            elif text not in seen:
                seen.add(text)
                document = f"at-{number}-{row['idx']}"
                add_document(document, "", text)
                question = asked.get(row["thread"], "")
                refuses = "don't have" in text or "sorry" in text.lower()
                if number % 2 == 0 and len(question.split()) >= 7 and not refuses:
                    add_question("q" + document, question, [document])


def main():
    data, out = map(pathlib.Path, sys.argv[1:3])
    documents, questions, judgements = [], [], ["query-id\tcorpus-id\tscore"]

    def add_document(name, title, text):
        documents.append(json.dumps({"_id": name, "title": title, "text": text}))

    def add_question(name, text, right):
        questions.append(json.dumps({"_id": name, "text": text}))
        judgements.extend(f"{name}\t{document}\t1" for document in right)

    faq(add_document, add_question)
    handbook(add_document, add_question)
    conversations(data, add_document, add_question)
    out.mkdir(parents=True, exist_ok=True)
    for name, lines in [
        ("corpus.jsonl", documents),
        ("queries.jsonl", questions),
        ("qrels.tsv", judgements),
    ]:
        (out / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(questions)} questions over {len(documents)} documents")


if __name__ == "__main__":
    main()
