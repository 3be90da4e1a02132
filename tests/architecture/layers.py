# The layers of the framework: every include runs downwards, along an edge that docs/architecture.md allows.
# Only the lowest layer, framework/src/system, uses what one operating system has and others lack.
# SPDX-License-Identifier: Apache-2.0
"""layers.py [SOURCE]          checks the includes of SOURCE (default: $MIXWELL_SOURCE_DIR), and itself
layers.py SOURCE --picture  writes docs/layers.dot and docs/layers.svg from the same table (needs dot)
layers.py SOURCE --counts   prints what a reader of framework/src meets

The table in docs/architecture.md has a row for each layer, from the bottom up: its folder in
framework/src, what it is for, its public headers outside of the folder of include/mixwell that has its
name, and the layers that it may include."""

import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = "docs/architecture.md"
SOURCES = "framework/src"
PUBLIC = "framework/include"
CONTRACTS = "framework/contracts"  # the one layer outside SOURCES, as its users see it by itself
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<(mixwell/[^>]+)>)', re.M)
SYSTEM = "framework/src/system"  # the only folder that may use what matches ONE_SYSTEM
PRODUCT = ("framework", "plugins", "models", "integrators", "estimators", "papers", "examples")
# Headers, functions, members and macros that Linux has and macOS lacks, files of Linux, and tests of the system.
ONE_SYSTEM = re.compile(
    r"<(?:elf|link|endian|byteswap|malloc|sys/(?:prctl|syscall|epoll|eventfd|inotify|signalfd|timerfd|sendfile|sysinfo"
    r"|random|auxv|personality)|libproc|crt_externs|(?:linux|asm|mach|mach-o)/\S+?)(?:\.h)?>"
    r"|\b(?:prctl|memfd_create|pipe2|dup3|accept4|on_exit|at_quick_exit|quick_exit|sigabbrev_np|sigdescr_np|dladdr1|dlmopen"
    r"|gettid|tgkill|pidfd_\w+|epoll_\w+|inotify_\w+|eventfd|signalfd|timerfd_\w+|sched_[gs]etaffinity|ppoll|sigtimedwait"
    r"|fallocate64|posix_fallocate|fallocate|fdatasync|sync_file_range|renameat2|statx|copy_file_range|getrandom"
    r"|execvpe|mremap|secure_getenv|get_nprocs|sysinfo|mallinfo2?|malloc_trim|malloc_usable_size|clearenv|sincos|exp10"
    r"|sysctl|sysctlbyname)\s*\("
    r"|\b(?:SYS_\w+|PR_SET_\w+|MFD_\w+|O_TMPFILE|O_PATH|SOCK_CLOEXEC|SOCK_NONBLOCK|RTLD_DI_\w+|RTLD_DL_\w+|CLOCK_BOOTTIME"
    r"|st_[amc]tim(?:espec)?|environ|__linux__|__APPLE__|program_invocation_\w+)\b"
    r"|\"/proc/|\"/sys/|\"/dev/shm")
ALLOWED = {("framework/include/mixwell/detail/abi.hpp", "__APPLE__"),  # a section's name, in the code of plugins
           ("framework/src/app/launcher/launcher.cpp", '"/proc/')}  # compiled for Linux only
ROW = re.compile(r"^\| `(\w+)/` \|([^|]*)\|([^|]*)\|([^|]*)\|$", re.M)


class Layer:
    def __init__(self, name, purpose, headers, allowed):
        self.name = name
        self.purpose = purpose.strip()
        self.headers = [] if headers.strip().startswith("all of") else re.findall(r"`([\w/.]+)`", headers)
        self.allowed = set(re.findall(r"\w+", allowed))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def layers_of(page):
    """The rows of the table, bottom to top."""
    return {name: Layer(name, purpose, headers, allowed)
            for name, purpose, headers, allowed in ROW.findall(page)}


def cpp_files(folder):
    for parent, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".cpp", ".hpp")):
                yield os.path.join(parent, name)


def header_file(header):
    """A name of the table: `lab/run` is mixwell/lab/run.hpp, and `lab.h` a header for C."""
    return f"mixwell/{header}" if header.endswith(".h") else f"mixwell/{header}.hpp"


def header_owners(layers):
    """By folder where it has the name of a layer, by header where the table has it."""
    owners = {f"mixwell/{name}": name for name in layers}
    owners.update((header_file(header), layer.name) for layer in layers.values() for header in layer.headers)
    return owners


def owner_of(header, owners):
    return owners.get(header) or owners.get(os.path.dirname(header))


def layer_of_file(source, path, owners):
    name = os.path.relpath(path, source)
    if name.startswith(CONTRACTS):
        return "contracts"
    if name.startswith(PUBLIC):
        return owner_of(os.path.relpath(name, PUBLIC), owners)
    return os.path.relpath(name, SOURCES).split(os.sep)[0]


def layer_of_include(source, private, public, owners):
    if public:
        in_contracts = os.path.exists(os.path.join(source, CONTRACTS, "include", public))
        return "contracts" if in_contracts else owner_of(public, owners)
    in_contracts = os.path.exists(os.path.join(source, CONTRACTS, private))
    return "contracts" if in_contracts else private.split("/")[0]


def edges(source, owners):
    """(file, its layer, header, the header's layer) of every include within the framework."""
    for root in (SOURCES, PUBLIC, CONTRACTS):
        for path in cpp_files(os.path.join(source, root)):
            layer = layer_of_file(source, path, owners)
            for private, public in INCLUDE.findall(read(path)):
                target = layer_of_include(source, private, public, owners)
                yield os.path.relpath(path, source), layer, private or public, target


def faults(source):
    """A line for each thing that is not as the table says."""
    layers = layers_of(read(os.path.join(source, PAGE)))
    owners = header_owners(layers)
    found = []
    below = set()
    for layer in layers.values():
        for name in sorted(layer.allowed - below):
            found.append(f"{PAGE}: {layer.name} may include {name}, which is not below it")
        below.add(layer.name)
    folders = set(os.listdir(os.path.join(source, SOURCES)))
    for name in sorted(folders ^ (set(layers) - {"contracts"})):
        found.append(f"{SOURCES}/{name}: a layer needs a folder and a row in {PAGE}")
    for path in cpp_files(os.path.join(source, PUBLIC)):
        if layer_of_file(source, path, owners) is None:
            found.append(f"{os.path.relpath(path, source)}: no row of {PAGE} has this header")
    used = set()
    for path, layer, header, target in edges(source, owners):
        if layer not in layers:
            continue  # told once, above
        if target not in layers:
            found.append(f"{path}: includes {header}, which belongs to no layer")
        elif layer != target:
            used.add((layer, target))
            if target not in layers[layer].allowed:
                found.append(f"{path}: {layer} includes {header} of {target}; {PAGE} does not allow it")
    for layer in layers.values():
        for target in sorted(layer.allowed):
            if (layer.name, target) not in used:
                found.append(f"{PAGE}: {layer.name} may include {target}, and never does")
        for header in layer.headers:
            if not os.path.exists(os.path.join(source, PUBLIC, header_file(header))):
                found.append(f"{PAGE}: there is no header {header}")
    return found


@functools.cache
def uses_of_one_system(text):
    """(line, use). The cache spares the files that a faulty copy has unchanged."""
    return [(number, used[0]) for number, line in enumerate(text.splitlines(), 1)
            if (used := ONE_SYSTEM.search(line))]


def of_one_system(source):
    """A line for each use of what only one operating system has, outside of SYSTEM."""
    found = []
    for folder in PRODUCT:
        for path in cpp_files(os.path.join(source, folder)):
            name = os.path.relpath(path, source)
            if name.startswith(SYSTEM + "/"):
                continue
            found += [f"{name}:{number}: only {SYSTEM} may use {used}, which not every system has"
                      for number, used in uses_of_one_system(read(path)) if (name, used) not in ALLOWED]
    return found


def floors(layers):
    """Height of each layer above the lowest: one more than the highest that it includes."""
    height = {}
    for layer in layers.values():
        height[layer.name] = 1 + max((height.get(name, -1) for name in layer.allowed), default=-1)
    return height


def dot_text(source):
    """Boxes stand on those they include; an arrow that follows from others is left out."""
    layers = layers_of(read(os.path.join(source, PAGE)))
    reach = {}
    for layer in layers.values():
        reach[layer.name] = layer.allowed.union(*(reach.get(n, set()) for n in layer.allowed))
    lines = ["// Made from the table of architecture.md by tests/architecture/layers.py --picture.",
             "digraph layers {", "  rankdir=TB;",
             '  node [shape=box, style="rounded,filled", fillcolor="#eef3f8", color="#5b7c99", '
             'fontname="sans-serif", fontsize=11];',
             '  edge [color="#8899aa", arrowsize=0.6];']
    height = floors(layers)
    for floor in range(max(height.values()) + 1):
        names = " ".join(f'"{name}"' for name in layers if height[name] == floor)
        lines.append(f"  {{ rank=same; {names} }}")
    for layer in layers.values():
        for name in sorted(layer.allowed):
            others = layer.allowed - {name}
            if not any(name in reach.get(other, set()) for other in others):
                lines.append(f'  "{layer.name}" -> "{name}";')
    return "\n".join(lines + ["}"]) + "\n"


def draw(source):
    text = dot_text(source)
    with open(os.path.join(source, "docs/layers.dot"), "w", encoding="utf-8") as file:
        file.write(text)
    picture = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)
    # Without the version of Graphviz that drew it.
    svg = re.sub(r"<!-- Generated by.*?-->\n", "", picture.stdout, flags=re.S)
    with open(os.path.join(source, "docs/layers.svg"), "w", encoding="utf-8") as file:
        file.write(svg)


def counts(source):
    root = os.path.join(source, SOURCES)
    files = list(cpp_files(root))
    flat = [path for path in files if os.path.dirname(path) == root]
    print(f"sources in {SOURCES}: {len(files)}, flat: {len(flat)}")
    layers = layers_of(read(os.path.join(source, PAGE)))
    order = list(layers)
    used = {(a, b) for _, a, _, b in edges(source, header_owners(layers))
            if a in layers and b in layers and a != b}
    upwards = [(a, b) for a, b in used if order.index(b) > order.index(a)]
    print(f"layers: {len(layers)}, floors: {max(floors(layers).values()) + 1}, "
          f"edges: {len(used)}, upwards: {len(upwards)}")


def tampered(source, change):
    """The faults of a copy in which `change` changed something."""
    with tempfile.TemporaryDirectory() as copy:
        for part in (SOURCES, PUBLIC, CONTRACTS, "models"):
            shutil.copytree(os.path.join(source, part), os.path.join(copy, part))
        os.mkdir(os.path.join(copy, "docs"))
        shutil.copy(os.path.join(source, PAGE), os.path.join(copy, PAGE))
        change(copy)
        return faults(copy) + of_one_system(copy)


def append(name, text):
    def change(copy):
        with open(os.path.join(copy, name), "a", encoding="utf-8") as file:
            file.write(text)
    return change


def replace(name, old, new):
    def change(copy):
        text = read(os.path.join(copy, name))
        assert old in text
        with open(os.path.join(copy, name), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))
    return change


WRONG = {
    "an include that runs upwards": append(f"{SOURCES}/base/error.cpp", '#include "run/chunks.hpp"\n'),
    "a public header that runs upwards":
        append(f"{PUBLIC}/mixwell/base/types.hpp", "#include <mixwell/kernel.hpp>\n"),
    "a C interface that stands on the program":
        append(f"{SOURCES}/c_interface/lab.cpp", '#include "app/command.hpp"\n'),
    "a header without a layer": append(f"{PUBLIC}/mixwell/stray.hpp", "#pragma once\n"),
    "a header in no layer's folder": append(f"{PUBLIC}/mixwell/detail/stray.hpp", "#pragma once\n"),
    "a source that lies flat": append(f"{SOURCES}/stray.cpp", "\n"),
    "a table that allows an edge upwards": replace(PAGE, "| `files/` |", "| `files/` |"),
    "a call that only Linux has": append(f"{SOURCES}/study/worker.cpp", "static int end = pipe2(ends, O_CLOEXEC);\n"),
    "a header that only Linux has": append(f"{SOURCES}/plugin/trial.cpp", "#include <sys/prctl.h>\n"),
    "a header that only macOS has": append(f"{SOURCES}/base/error.cpp", "#include <mach/mach.h>\n"),
    "a file that only Linux has": append("models/funnel.cpp", 'static std::ifstream own("/proc/self/status");\n'),
    "a member that only Linux has": append(f"{SOURCES}/files/sha256.cpp", "static auto time = state.st_mtim;\n"),
    "code for one system": append(f"{PUBLIC}/mixwell/plugin.hpp", "#ifdef __linux__\n#endif\n"),
    "a folder without a row": replace(PAGE, "| `page/` |", "| page |"),
}


def check_itself(source):
    """Every mutant is caught."""
    missed = []
    for what, change in WRONG.items():
        if what == "a table that allows an edge upwards":
            text = read(os.path.join(source, PAGE))
            row = next(line for line in text.splitlines() if line.startswith("| `files/` |"))
            change = replace(PAGE, row, row[:-1].rstrip() + ", run |")
        if not tampered(source, change):
            missed.append(f"not caught: {what}")
    return missed


def main(arguments):
    source = next((a for a in arguments if not a.startswith("-")),
                  os.environ.get("MIXWELL_SOURCE_DIR", "."))
    if "--picture" in arguments:
        draw(source)
        return 0
    if "--counts" in arguments:
        counts(source)
        return 0
    found = faults(source) + of_one_system(source) or check_itself(source)
    drawn = os.path.join(source, "docs/layers.dot")
    if not os.path.exists(drawn) or read(drawn) != dot_text(source):
        found.append("docs/layers.dot is not of this table: tests/architecture/layers.py . --picture")
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
