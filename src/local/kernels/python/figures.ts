/**
 * Figures in the Python kernel: `plt.show()` displays the open figures, and so does the end of a
 * cell, as in Jupyter. A program that chose a backend itself keeps it.
 */
export const PYTHON_FIGURES = `
_BACKEND = 'cubeshift_matplotlib'


def _show_figures(*ignored, **also):
    from matplotlib._pylab_helpers import Gcf
    managers = Gcf.get_all_fig_managers()
    Gcf.destroy_all()
    for manager in managers:
        display(manager.canvas.figure)


def _use_our_backend(pyplot):
    import matplotlib
    from matplotlib.backend_bases import FigureManagerBase
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    _remember_boxes()
    # Without a choice there is no text here, and asking in the ordinary way would make one.
    if isinstance(dict.__getitem__(matplotlib.rcParams, 'backend'), str):
        return
    backend = types.ModuleType(_BACKEND)
    backend.FigureCanvas = FigureCanvasAgg
    backend.FigureManager = FigureManagerBase
    backend.show = _show_figures
    sys.modules[_BACKEND] = backend
    pyplot.switch_backend('module://' + _BACKEND)


def _figures_of_cell():
    pyplot = sys.modules.get('matplotlib.pyplot')
    if pyplot is not None and pyplot.get_fignums() and _BACKEND in pyplot.get_backend():
        _show_figures()
`;
