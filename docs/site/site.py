# The pages of the site: the documents as they are, the files that they link to, and the reference.
# SPDX-License-Identifier: Apache-2.0
"""site.py SOURCE PREFIX OUT: writes OUT/pages, which mkdocs makes OUT/html of.

Documents keep their places, so that links between them hold. A file of code that one links to becomes a
page with its text, a folder a page with its files. The reference is written from what the program in PREFIX
says of itself: every component with every key, the keys of a run, every command; and from the docstrings of
the Python package and the first lines of the public headers."""

import functools
import inspect
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

# Pages of code are there to be linked to.
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n"
KINDS = ("model", "kernel", "estimator", "integrator", "oracle", "steps", "compositor", "recorder")
LINK = re.compile(r"(?<!!)\]\(([^)#\s]+)(#[^)\s]*)?\)")
PROPERTIES = (property, functools.cached_property)
FENCE = re.compile(r"^```.*?^```[^\n]*\n", re.M | re.S)
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".h": "c", ".c": "c", ".py": "python", ".toml": "toml",
             ".txt": "cmake", ".cmake": "cmake", ".sh": "bash", ".json": "json", "": "text"}


class Site:
    def __init__(self, source, prefix, out):
        self.source = source
        self.pages = out / "pages"
        self.program = prefix / "bin" / "mixwell"
        self.linked = set()  # files and folders that get a page of their own

    def write(self, name, text):
        path = self.pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def said(self, *words):
        """By the program with the plugins of papers/, where PREFIX is a build."""
        guests = self.program.parents[1] / "papers"
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=True,
                              env={**os.environ, "MIXWELL_PLUGIN_PATH": str(guests) if guests.is_dir() else ""}).stdout

    # --- documents ----------------------------------------------------------------------------------

    def documents(self):
        listed = subprocess.run(["git", "ls-files", "*.md", "docs/*.png", "docs/*.svg", "papers/*.png"],
                                cwd=self.source, capture_output=True, text=True, check=True)
        for name in listed.stdout.split():
            if name.endswith(".md") and not self.belongs(name):
                continue
            if name.endswith(".md"):
                self.write(name, self.with_pages(name, (self.source / name).read_text("utf-8")))
            else:
                (self.pages / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.source / name, self.pages / name)

    @staticmethod
    def belongs(name):
        """Fixtures of tests and templates are no documents."""
        return not name.startswith(("tests/fuzz", "cmake/templates"))

    def with_pages(self, name, text):
        """A document whose links to code lead to the pages of that code."""
        here = (self.source / name).parent

        def relink(found):
            target, anchor = found.group(1), found.group(2) or ""
            if re.match(r"[a-z]+:", target):
                return found.group(0)
            path = pathlib.Path(os.path.normpath(here / target))
            if not path.exists() or path.suffix in (".md", ".png", ".svg"):
                return found.group(0)
            self.linked.add(path)
            page = "README.md" if path.is_dir() else path.name + ".md"
            folder = path if path.is_dir() else path.parent
            return f"]({os.path.relpath(folder, here)}/{page}{anchor})"

        kept, first = [], 0
        for fence in FENCE.finditer(text):
            kept += [LINK.sub(relink, text[first:fence.start()]), fence.group(0)]
            first = fence.end()
        return "".join(kept) + LINK.sub(relink, text[first:])

    def code(self):
        """Pages of what documents link to; those of folders link to more."""
        for path in sorted(self.linked):
            if path.is_dir() and not (path / "README.md").exists():
                self.folder(path)
        for path in sorted(self.linked):
            if path.is_file():
                self.file(path)

    def folder(self, path):
        name = path.relative_to(self.source)
        inside = sorted(one for one in path.iterdir() if one.is_file())
        self.linked.update(inside)
        self.write(name / "README.md", f"# {name}\n\n" + "".join(
            f"- [{one.name}]({one.name}.md)\n" for one in inside))

    def file(self, path):
        name = path.relative_to(self.source)
        if path.suffix == ".ipynb":
            self.write(f"{name}.md", notebook(json.loads(path.read_text("utf-8"))))
            return
        text = path.read_text("utf-8", errors="replace").rstrip("\n")
        language = LANGUAGES.get(path.suffix, "text")
        self.write(f"{name}.md", f"{NOT_SEARCHED}# {name}\n\n````{language}\n{text}\n````\n")

    # --- reference ----------------------------------------------------------------------------------

    def components(self):
        for kind in KINDS:
            listed = json.loads(self.said("plugins", kind, "--json"))["plugins"]
            entries = [json.loads(self.said("plugins", "show", f"{kind}/{one['id']}", "--json"))
                       for one in listed]
            title = (kind if kind == "steps" else kind + "s").capitalize()
            self.write(f"reference/{kind}.md", f"# {title}\n\n" + "\n".join(map(component, entries)))

    def keys_of_run(self):
        schema = json.loads(self.said("schema"))
        keys = schema["properties"]["run"]["properties"]
        rows = [(f"`{key}`", f"{said.get('type', said.get('enum', ''))}" +
                 (f"; default {json.dumps(said['default'])}" if "default" in said else ""),
                 said.get("description", "")) for key, said in keys.items()]
        self.write("reference/run.md", "# Keys of a run\n\nThe table `[run]` of a manifest.\n\n" +
                   table(("key", "value", "meaning"), rows))

    def commands(self):
        self.write("reference/program.md", "# The program\n\n" + self.help_of())

    def help_of(self, *words):
        """The help of a command, then of those below it."""
        text = self.said(*words, "--help")
        names = re.findall(r"^  (\w+) ", text.partition("ubcommands:\n")[2].split("\n\n")[0], re.M)
        title = f"## mixwell {' '.join(words)}\n\n" if words else ""
        return title + fenced(text) + "".join("\n" + self.help_of(*words, name) for name in names)

    def python(self):
        sys.path.insert(0, str(self.source / "framework" / "python"))
        import mixwell

        parts = ["# The Python package\n", "[Python](../docs/python.md) has an introduction.\n"]
        for name in mixwell.__all__:
            thing = getattr(mixwell, name)
            if isinstance(thing, mixwell.components.Namespace):
                continue
            parts.append(f"## mixwell.{name}\n\n{python_thing(name, thing)}\n")
        self.write("reference/python.md", "\n".join(parts))

    def headers(self):
        include = self.source / "framework" / "include" / "mixwell"
        lines = ["# Headers\n", "What a public header is for; each says shapes, units, errors and sources.\n"]
        for path in sorted(include.rglob("*.h*")):
            first = path.read_text("utf-8").split("\n", 1)[0].lstrip("/* ")
            self.linked.add(path)
            name = path.relative_to(include.parent)
            lines.append(f"- [`{name}`](../{path.relative_to(self.source)}.md): {first}")
        self.write("reference/headers.md", "\n".join(lines) + "\n")


def notebook(document):
    """Its words and code; outputs are for whoever runs it."""
    cells = [("".join(cell["source"]), cell["cell_type"]) for cell in document["cells"]]
    return "\n\n".join(text if kind == "markdown" else f"```python\n{text}\n```" for text, kind in cells) + "\n"


def fenced(text):
    return f"```text\n{text.rstrip()}\n```\n"


def plain(text):
    """Words of the program as Markdown that shows them as they are; those in `` are code already."""
    parts = re.split(r"(`[^`]*`)", text.replace("\n", " "))
    return "".join(part.replace("|", "\\|") if part.startswith("`") else
                   re.sub(r"([\\*_\[\]|<#])", r"\\\1", part) for part in parts)


def paragraphs(text):
    return "".join(plain(one.strip()) + "\n\n" for one in text.split("\n\n") if one.strip())


def cell(value):
    return plain(str(value))


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(map(cell, line)) + " |\n" for line in lines)


def value_of(parameter):
    """ "number in (0, inf), time; default 0.1"."""
    reach, default = parameter["range"], parameter["default"]
    if reach and not reach.startswith("one of"):
        reach = "in " + reach
    words = ", ".join(filter(None, (f"{parameter['type']} {reach}".strip(), parameter["unit"])))
    return words + ("" if default == "not set" else f"; {default if default == 'required' else 'default ' + default}")


def component(entry):
    """A section: what it is, its keys, its sources."""
    text = f"## {entry['id']}\n\n{entry['summary']}\n\n"
    if entry["details"]:
        laid_out = re.search(r"^ ", entry["details"], re.M)
        text += fenced(entry["details"]) if laid_out else paragraphs(entry["details"].replace("\n", "\n\n"))
    if entry["parameters"]:
        text += "\n" + table(("key", "value", "meaning"), [
            (f"`{one['key']}`", value_of(one), one["help"]) for one in entry["parameters"]])
    if entry["traits"]:
        text += "\nDeclared traits: " + ", ".join(f"`{trait}`" for trait in entry["traits"]) + "\n"
    for source in entry["sources"]:
        text += f"\n- {cell(source)}"
    return text + "\n"


class Bare(str):
    """An annotation, shown without quotation marks."""

    def __repr__(self):
        return str(self)


def signature_of(thing):
    def bare(annotation):
        return Bare(annotation) if isinstance(annotation, str) else annotation

    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    return str(found.replace(return_annotation=bare(found.return_annotation),
                             parameters=[one.replace(annotation=bare(one.annotation))
                                         for one in found.parameters.values()]))


def python_thing(name, thing):
    signature = signature_of(thing)
    text = f"```python\n{name}{signature}\n```\n\n" + paragraphs(inspect.getdoc(thing) or "")
    for member, value in vars(thing).items() if inspect.isclass(thing) else ():
        said = inspect.getdoc(value)
        if not member.startswith("_") and said and (callable(value) or isinstance(value, PROPERTIES)):
            text += f"\n- `{member}`: {cell(said)}"
    return text


def main():
    site = Site(*(pathlib.Path(word).resolve() for word in sys.argv[1:4]))
    shutil.rmtree(site.pages, ignore_errors=True)
    site.documents()
    shutil.copy(pathlib.Path(__file__).with_name("site.css"), site.pages / "site.css")
    site.components()
    site.keys_of_run()
    site.commands()
    site.python()
    site.headers()
    site.code()
    print(f"{sum(1 for _ in site.pages.rglob('*.md'))} pages in {site.pages}")


if __name__ == "__main__":
    main()
