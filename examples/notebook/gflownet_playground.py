"""The gflownet playground as a widget for Jupyter and marimo. Everything is computed in the browser.

It needs anywidget (pip install anywidget) and the file widget.js, which `gflownet playground --out FOLDER` writes.
"""

import pathlib

import anywidget
import traitlets


def playground(widget_file="playground/widget.js", settings="problem=hypergrid"):
    """The widget. `settings` is the part of a playground's address after the question mark."""
    module = pathlib.Path(widget_file)
    if not module.is_file():
        raise FileNotFoundError(
            f"{module} is missing; write it with `gflownet playground --out {module.parent}`"
        )

    class Playground(anywidget.AnyWidget):
        _esm = module.read_text(encoding="utf-8")
        settings = traitlets.Unicode("").tag(sync=True)
        result = traitlets.Dict().tag(sync=True)

    return Playground(settings=settings)
