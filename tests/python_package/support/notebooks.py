# Executes the notebooks of examples/notebook, looks at what they give, keeps their pictures.
# SPDX-License-Identifier: Apache-2.0
"""notebooks.py SOURCE KEPT"""

import base64
import io
import pathlib
import shutil
import sys
import tempfile

import matplotlib.image
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

# What the outputs of a notebook must have, beside as many pictures.
WANTED = {"challenger": (3, ["exact after warm-up", "biased: the draws do not have the target distribution, even as eps -> 0", "cure       compositor.main.freeze_after_warmup = true",
                             "exact after warm-up, declared, True",
                             "difference of the means: ", "srcdoc="])}


def executed(notebook, folder):
    NotebookClient(notebook, timeout=720, resources={"metadata": {"path": str(folder)}},
                   extra_arguments=["--IPKernelApp.log_level=40"]).execute()
    return notebook


def outputs(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def pictures(notebook):
    return [base64.b64decode(output["data"]["image/png"]) for output in outputs(notebook)
            if "image/png" in output.get("data", {})]


def words(notebook):
    """All text and HTML."""
    return "\n".join(part for output in outputs(notebook)
                     for part in (output.get("text", ""), *map(str, output.get("data", {}).values())))


def is_blank(picture):
    return matplotlib.image.imread(io.BytesIO(picture))[..., :3].std() < 0.01


def committed_faults(notebook):
    return ["it has outputs"] if any(cell.outputs or cell.execution_count for cell in notebook.cells
                                     if cell.cell_type == "code") else []


def faults(name, notebook):
    count, wanted = WANTED[name]
    shown, text = pictures(notebook), words(notebook)
    found = [f"{len(shown)} pictures, not {count}"] if len(shown) != count else []
    found += [f"picture {k} is blank" for k, picture in enumerate(shown) if is_blank(picture)]
    return found + [f"nothing says {part!r}" for part in wanted if part not in text]


def misses_of_mutants(folder):
    code = nbformat.v4.new_code_cell
    missed = []
    try:
        executed(nbformat.v4.new_notebook(cells=[code("1 / 0")]), folder)
        missed.append("a cell that fails")
    except CellExecutionError:
        pass
    blank = executed(nbformat.v4.new_notebook(cells=[code(
        "import matplotlib.pyplot as plt\nplt.figure(); plt.text(0, 0, '')\nplt.axis('off'); plt.show()")]), folder)
    if not committed_faults(blank):
        missed.append("an output")
    if len(pictures(blank)) != 1 or not is_blank(pictures(blank)[0]):
        missed.append("a blank picture")
    return missed


def main():
    source, kept = map(pathlib.Path, sys.argv[1:3])
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    found = []
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(shutil.copytree(source / "examples", pathlib.Path(place, "examples"))) / "notebook"
        for path in sorted(folder.glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            nbformat.validate(notebook)
            found += [f"{path.name}: {fault}" for fault in committed_faults(notebook)]
            found += [f"{path.name}: {fault}" for fault in faults(path.stem, executed(notebook, folder))]
            nbformat.write(notebook, kept / path.name)
            for k, picture in enumerate(pictures(notebook)):
                (kept / f"{path.stem}-{k}.png").write_bytes(picture)
        found += [f"unseen: {what}" for what in misses_of_mutants(folder)]
    print("\n".join(found) or f"looked at: {', '.join(path.name for path in sorted(kept.iterdir()))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
