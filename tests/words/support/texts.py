# What a file says in words: its comments and strings, or, of a document, all of it.
# SPDX-License-Identifier: Apache-2.0
"""A text is (line, words). Adjacent strings of C++ are one text, as the compiler joins them; so are comment lines."""

import ast
import io
import re
import tokenize

CODE = (".cpp", ".hpp", ".in", ".js")
TOKEN = re.compile(r'R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<string>(?:\\.|[^"\\\n])*)"|'
                   r"'(?:\\.|[^'\\\n])*'|//[/!]*(?P<after><)?(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/", re.S)
BETWEEN = re.compile(r"\s*\Z")


def line_at(code, place):
    return code.count("\n", 0, place) + 1


def joined(pieces, code):
    """Pieces (start, end, kind, words) with those that only blanks separate made one."""
    texts = []
    for start, end, kind, words in pieces:
        if texts and texts[-1][2] == kind and BETWEEN.match(code[texts[-1][1]:start]):
            texts[-1][1] = end
            texts[-1][3] += ("" if kind == "string" else " ") + words
        else:
            texts.append([start, end, kind, words])
    return [(line_at(code, start), kind, words) for start, _, kind, words in texts]


def pieces_of(code):
    for found in TOKEN.finditer(code):
        for kind in ("raw", "string", "line", "block"):
            if found[kind] is not None:
                words = found[kind].replace("\\n", " ").replace('\\"', '"')
                kind = "string" if kind in ("raw", "string") else "after" if found["after"] else kind
                yield found.start(), found.end(), kind, words


def texts_of_code(code):
    return joined(pieces_of(code), code)


def texts_of_python(code):
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], "line", token.string.lstrip("# ")
        elif token.type == tokenize.STRING and "f" not in token.string[:2].lower():
            yield token.start[0], "string", str(ast.literal_eval(token.string))


def texts_of_document(text):
    """Paragraphs outside of blocks of code."""
    outside = re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.S | re.M)
    for found in re.finditer(r"(?:[^\n]+\n?)+", outside):
        yield line_at(outside, found.start()), "document", found[0]


def texts_of(path, text):
    if path.endswith(CODE):
        return texts_of_code(text)
    if path.endswith(".py"):
        return list(texts_of_python(text))
    return list(texts_of_document(text))
