import { PYTHON_CHARTS } from './charts.ts';

/**
 * Runs the program on standard input as `python3 -u -` does, and tells of every chart that it shows
 * with `plt.show()`, one line of JSON each, on descriptor 3. Its own frames stay out of tracebacks.
 */
export const PYTHON_WITH_CHARTS = String.raw`
import sys
sys.argv = ['-'] + sys.argv[1:]
import importlib.machinery
import os
import types
${PYTHON_CHARTS}

def _patched(pyplot):
    import base64, json
    _remember_boxes()
    def show(*ignored, **also):
        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            chart = _figure_chart(figure, 'composite_chart')
            chart['png'] = base64.b64encode(_figure_png(figure)).decode('ascii')
            data = memoryview((json.dumps(chart) + '\n').encode('ascii'))
            while data:
                data = data[os.write(_charts, data):]
        pyplot.close('all')
    pyplot.show = show

class _Pyplot:
    def find_spec(self, name, path=None, target=None):
        if name != 'matplotlib.pyplot':
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module
            def exec_module(module):
                run(module)
                _patched(module)
            spec.loader.exec_module = exec_module
        return spec

_charts = os.dup(3)
os.close(3)
os.environ.setdefault('MPLBACKEND', 'agg')
sys.meta_path.insert(0, _Pyplot())
_frames = globals()

def _hook(kind, error, trace):
    while trace is not None and trace.tb_frame.f_globals is _frames:
        trace = trace.tb_next
    import traceback
    traceback.print_exception(kind, error, trace)

sys.excepthook = _hook
_this = sys.modules['__main__']  # its globals must live on
_user = types.ModuleType('__main__')
_user.__dict__['__builtins__'] = __builtins__
sys.modules['__main__'] = _user
exec(compile(sys.stdin.buffer.read(), '<stdin>', 'exec'), _user.__dict__)
`;
