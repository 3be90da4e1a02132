# Functions that all figures share: legends, titles and saving.
# SPDX-License-Identifier: Apache-2.0
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot


def legend_beside(axes, size):
    """Puts the legend to the right of the panel, where it covers nothing."""
    axes.legend(fontsize=size, loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0.0)


def finish(figure, axes, spec, path, x, y):
    """Saves a figure with one panel. spec["legend"] is "beside", or a location inside the axes."""
    axes.set(xlabel=x, ylabel=y, title=spec["title"])
    if spec.get("legend") == "beside":
        legend_beside(axes, "small")
    else:
        axes.legend(fontsize="small", loc=spec.get("legend", "best"))
    figure.tight_layout()
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def finish_panels(figure, spec, path):
    """Saves a figure with several panels side by side."""
    figure.suptitle(spec["title"])
    figure.tight_layout()
    figure.savefig(path, dpi=80, bbox_inches="tight")
    pyplot.close(figure)
