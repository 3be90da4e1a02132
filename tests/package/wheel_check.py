"""The installed package in this Python: a composition, its certificate, a run, and the errors of plugins that the
system's compiler built against the wheel.

usage: wheel_check.py MANIFEST [PLUGINS]    PLUGINS: the built failing-project
"""
# SPDX-License-Identifier: Apache-2.0
import os
import platform
import sys


def expect(kind, words, call):
    try:
        call()
    except kind as fault:
        assert all(word in str(fault) for word in words), f"{fault} lacks one of {words}"
        return
    raise AssertionError(f"nothing is thrown; wanted: {kind.__name__} with {words}")


def main():
    manifest, plugins = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    if plugins:
        os.environ["MIXWELL_PLUGIN_PATH"] = plugins
    import mixwell as mw

    assert mw.check(manifest).is_exact
    run = mw.run(mw.function(lambda t: (0.5 * (t**2).sum(axis=1), t), {"x": 2}), draws=200)
    assert run.certificate.is_exact and run.is_complete, run

    kernel = {"kernel": {"k": {"use": "nuts", "step_size": 0.5}}, "estimator": {"e": {"use": "identity"}}}

    def fail(way):
        return lambda: mw.run({**kernel, "model": {"m": {"use": "failing", "way": way}}}, draws=10, warmup=0)

    if plugins:
        assert mw.run({**kernel, "model": {"m": {"use": "failing"}}}, draws=100).is_complete
        expect(mw.InputError, ["must not be made"], fail("made"))
        expect(mw.RunError, ["the model has no more data"], fail("error"))
        expect(mw.RunError, ["the model leaves its domain", "std::domain_error"], fail("standard"))
        expect(mw.RunError, ["caught: ", "12", "beta"], fail("library"))
        expect(mw.RunError, ["/nowhere/a", "filesystem_error"], fail("filesystem"))
        other = os.path.join(plugins, "other", "model-other.so")
        expect(mw.InputError, ["eigen_alignment must be ", "but is 64"], lambda: mw.add_plugin(other))
    print(f"Python {platform.python_version()}, {' '.join(platform.libc_ver())}, {platform.machine()}: fine")


if __name__ == "__main__":
    main()
