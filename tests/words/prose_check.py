# Plain English: what the project says to its users and readers, held to a budget that only falls.
# SPDX-License-Identifier: Apache-2.0
"""Three counts for each file, at most as many as tests/words/budgets.tsv allows, and none in a file that it does not name:

1. words and turns of phrase that the style replaces (WORDS), in comments, strings and documents;
2. errors that do not say what to do: no rule ("must") and no sentence that begins with what to do (CURE);
3. help texts of keys and options that are longer than 100 characters.

A file that is below its budget fails too, until `prose_check.py --lower` has lowered the budget. With
MIXWELL_PROGRAM in the environment, or a program as argument, the program's own help is checked: no line over 100 characters, and summaries
begin with a noun phrase or a verb. Each rule is first shown to catch a tampered text."""

import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "support"))
from texts import texts_of

SOURCE = pathlib.Path(os.environ.get("MIXWELL_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
BUDGETS = SOURCE / "tests/words/budgets.tsv"
FOLDERS = ("framework", "plugins", "models", "integrators", "estimators", "papers", "docs", "report/src",
           "cmake/templates", "examples", "bench", "README.md", "CONTRIBUTING.md", "NOTATION.md", "PLUGINS.md")
ENDINGS = (".cpp", ".hpp", ".in", ".js", ".py", ".md")
QUOTED = "docs/decisions/names.md"  # speaks about words

WORDS = re.compile(
    r"\b(?:alone|anew|afresh|that of|those of|of which|(?:is|are) told|by (?:itself|themselves)|of its own|"
    r"of their own|in the place of|(?:is|are) not to|as (?:many|much) \w* ?as (?:it|they) (?:takes?|wants?)|"
    r"for ever|twins?)\b|(?:^|[.:;] )(?:Of|of) (?:a|an|the|what|each|one|all|it|them|some|several)\b(?=[^.]*,)"
    r"|(?:^|\. )What (?!is\b[^.]*\?)\w+")
CURE = re.compile(
    r"\bmust\b|did you mean|(?:^|[.,;:(\]] ?|\band |\bor |\bthen |\}\s*)(?:Add|Allow|Ask|Build|Call|Change|Check|Choose|Close|Compile|"
    r"Copy|Correct|Create|Declare|Delete|Do not|End|Fix|Free|Give|Increase|Install|Keep|Leave|Let|List|Load|Lower|"
    r"Make|Mount|Move|Name|Offer|Open|Pass|Pick|Print|Put|Raise|Read|Rebuild|Reduce|Remove|Rename|Repeat|Replace|"
    r"Report|Run|Fetch|Save|Convert|Export|Generate|Get|Insert|Order|Provide|Quote|Record|Restore|Resume|Sort|Switch|Unpack|See|Select|Set|Shorten|Spell|Split|Start|Store|Take|Try|Update|Use|Wait|Write)\b", re.I)
THROWN = re.compile(r"\bthrow (?:\w+::)*(?:InputError|ParameterError|DataError|WiringError|Error|UsageError)\b")
NOT_FIRST = re.compile(r"(?i)^(?:of|as|with|what|to|in|by|that|which|where|when|if|how|it|for|so|and|but|at|on)\b")
LONGEST = 100


def statement_after(code, start):
    """Up to the semicolon that ends what begins at `start`, outside of strings."""
    outside = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda s: "x" * len(s[0]), code[start:start + 4000])
    return code[start:start + outside.find(";") + 1]


def strings_in(code):
    return " ".join(words for _, kind, words in texts_of("x.cpp", code) if kind == "string")


def errors_without_cure(code):
    """Messages with at least four words that are thrown without a rule or a cure."""
    messages = [strings_in(statement_after(code, found.end())) for found in THROWN.finditer(code)]
    return [text for text in messages if len(re.findall(r"[a-z]{2,}", text)) >= 4 and not CURE.search(text)]


def long_helps(code):
    helps = []
    for found in re.finditer(r"\.help\(", code):
        text = re.match(r'(?:\s*"(?:\\.|[^"\\\n])*")+', code[found.end():])
        if text and len(strings_in(text[0])) > LONGEST:
            helps.append(strings_in(text[0]))
    return helps


def words_of(path, text):
    return [found[0] for _, _, words in texts_of(path, text) for found in WORDS.finditer(re.sub(r"\s+", " ", words).strip())]


def counts_of(path, text):
    words = 0 if path == QUOTED else len(words_of(path, text))
    if not path.endswith((".cpp", ".hpp")):
        return words, 0, 0
    return words, len(errors_without_cure(text)), len(long_helps(text))


def all_files():
    tracked = subprocess.run(["git", "-C", str(SOURCE), "ls-files", "--cached", "--others", "--exclude-standard", *FOLDERS],
                             capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted(path for path in tracked if path.endswith(ENDINGS) and (SOURCE / path).exists())


def read(path):
    return (SOURCE / path).read_text("utf-8")


def budgets():
    rows = [line.split("\t") for line in BUDGETS.read_text("utf-8").splitlines() if line and line[0] != "#"]
    return {row[0]: tuple(map(int, row[1:])) for row in rows}


def check_budgets(counts, allowed):
    found = []
    for path in sorted(counts.keys() | allowed.keys()):
        have, may = counts.get(path, (0, 0, 0)), allowed.get(path, (0, 0, 0))
        for what, one, most in zip(("words that the style replaces", "errors without a cure", "long help texts"), have, may):
            if one > most:
                found.append(f"{path} has {one} {what}, and {most} are allowed (prose_check.py --list {path})")
            elif one < most:
                found.append(f"{path} has {one} {what}, fewer than its budget of {most}: run prose_check.py --lower")
    return found


def lower(counts):
    allowed = budgets() if BUDGETS.exists() else counts
    rows = {path: tuple(map(min, have, allowed.get(path, (0, 0, 0)))) for path, have in counts.items()}
    lines = ["# Of a file: words that the style replaces, errors without a cure, help texts over 100 characters. Only falls."]
    lines += ["\t".join((path, *map(str, row))) for path, row in sorted(rows.items()) if any(row)]
    BUDGETS.write_text("\n".join(lines) + "\n", "utf-8")


def said(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True,
                          env={**os.environ, "MIXWELL_PLUGIN_PATH": ""}).stdout


def too_long(what, text):
    return [f"{what}: a line of {len(line)} characters: {line}" for line in text.splitlines() if len(line) > LONGEST]


def check_summary(name, summary):
    return [f"{name}: its summary begins with neither a noun phrase nor a verb: {summary}"] if NOT_FIRST.match(summary) else []


def check_program(program):
    commands = [[]] + [[word] for word in re.findall(r"^  ([a-z]+) ", said(program, "--help").split("\nCommands:")[-1].split("\nSubcommands:")[-1], re.M)]
    found = [fault for words in commands for fault in too_long("mixwell " + " ".join([*words, "--help"]), said(program, *words, "--help"))]
    found += too_long("mixwell plugins", said(program, "plugins"))
    for one in json.loads(said(program, "plugins", "--json"))["plugins"]:
        found += check_summary(f"{one['kind']}/{one['id']}", one["summary"])
    return found + ([] if len(commands) > 8 else ["the commands of mixwell --help were not found"])


def unseen():
    """What was tampered with and went unseen."""
    budget = {"a.cpp": (1, 0, 0)}
    caught = {
        "a word of the style": words_of("a.cpp", "// It is computed anew.\n"),
        "a phrase over two lines": words_of("a.cpp", "// The mean is that\n// of the draws.\n"),
        "a fronted clause": words_of("a.md", "Of the others, two are kept.\n"),
        "an error without a cure": errors_without_cure('throw InputError("the file is not a table");'),
        "a long help": long_helps('f.help("' + "word " * 30 + '");'),
        "a new file with a word": check_budgets({"b.cpp": (1, 0, 0)}, {}),
        "a file above its budget": check_budgets({"a.cpp": (2, 0, 0)}, budget),
        "a budget that has not fallen": check_budgets({"a.cpp": (0, 0, 0)}, budget),
        "a long line": too_long("x", "word " * 30),
        "a summary without a subject": check_summary("x", "of which some are kept"),
    }
    clean = [words_of("a.cpp", "// It is computed again.\nint anew;\n"), check_budgets({"a.cpp": (1, 0, 0)}, budget),
             errors_without_cure('throw InputError("`steps` must be at least 1 in every manifest");'),
             errors_without_cure('throw InputError("the file is not a table. Write one row in each line");')]
    return [what for what, faults in caught.items() if not faults] + [f"a clean text fails: {one}" for one in clean if one]


def main(arguments):
    if arguments[:1] == ["--list"]:
        for path in arguments[1:]:
            text = read(path)
            print(*words_of(path, text), *errors_without_cure(text), *long_helps(text), sep="\n")
        return 0
    counts = {path: counts_of(path, read(path)) for path in all_files()}
    if arguments[:1] == ["--lower"]:
        lower(counts)
        return 0
    program = arguments[0] if arguments else os.environ.get("MIXWELL_PROGRAM")
    found = [f"unseen: {what}" for what in unseen()] + check_budgets(counts, budgets())
    found += check_program(program) if program else []
    print("\n".join(found) or f"{len(counts)} files keep the style: {sum(sum(one) for one in counts.values())} places are left")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
