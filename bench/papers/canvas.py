# What all pictures share.
# SPDX-License-Identifier: Apache-2.0
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot


def finish(figure, axes, spec, path, x, y):
    axes.set(xlabel=x, ylabel=y, title=spec["title"])
    axes.legend(fontsize="small", loc=spec.get("legend", "best"))
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def finish_panels(figure, spec, path):
    """For several panels side by side."""
    figure.suptitle(spec["title"])
    figure.tight_layout()
    figure.savefig(path, dpi=80)
    pyplot.close(figure)
