"""The gflownet playground in marimo: marimo edit playground_marimo.py"""

import marimo

app = marimo.App(width="full")


@app.cell
def _():
    import marimo as mo
    from gflownet_playground import playground

    widget = mo.ui.anywidget(playground("playground/widget.js", settings="problem=hypergrid&stick=0.25"))
    widget
    return (widget,)


@app.cell
def _(widget):
    widget.value["result"]
    return


if __name__ == "__main__":
    app.run()
