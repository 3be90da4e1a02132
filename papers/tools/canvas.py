# What all pictures share.
# SPDX-License-Identifier: Apache-2.0
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot


def legend_beside(axes, size):
    """Right of the panel, where there is nothing that it could cover."""
    axes.legend(fontsize=size, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)


def finish(figure, axes, spec, path, x, y):
    """`legend` of the spec is "beside", or a place within the axes."""
    axes.set(xlabel=x, ylabel=y, title=spec["title"])
    if spec.get("legend") == "beside":
        legend_beside(axes, "small")
    else:
        axes.legend(fontsize="small", loc=spec.get("legend", "best"))
    figure.tight_layout()
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def finish_panels(figure, spec, path):
    """For several panels side by side."""
    figure.suptitle(spec["title"])
    figure.tight_layout()
    figure.savefig(path, dpi=80, bbox_inches="tight")
    pyplot.close(figure)
