import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Only what the kernels touch: enough to follow a figure from `plt.show()` to its chart. */
const FILES: Record<string, string> = {
  'matplotlib/__init__.py':
    'import os\nrcParams = {"backend": os.environ.get("MPLBACKEND") or object()}',
  'matplotlib/axes.py': `
class Axes:
    def bxp(self, bxpstats, **options): pass
`,
  'matplotlib/figure.py': `
from .axes import Axes
class Figure:
    _suptitle = None
    def __init__(self): self.axes = []
    def __repr__(self): return '<Figure>'
    def savefig(self, file, format, bbox_inches): file.write(b'picture')
`,
  'matplotlib/backend_bases.py': 'class FigureManagerBase: pass',
  'matplotlib/backends/__init__.py': '',
  'matplotlib/backends/backend_agg.py': 'class FigureCanvasAgg: pass',
  'matplotlib/_pylab_helpers.py': `
class Gcf:
    figs = []
    @classmethod
    def get_all_fig_managers(cls): return list(cls.figs)
    @classmethod
    def destroy_all(cls): cls.figs.clear()
`,
  'matplotlib/pyplot.py': `
import sys
import matplotlib
from types import SimpleNamespace
from ._pylab_helpers import Gcf
from .figure import Figure
backend = None
def switch_backend(name):
    global backend
    backend = name
def get_backend(): return backend or 'agg'
def figure(number=None):
    if number is not None: return Gcf.figs[number].canvas.figure
    made = Figure()
    Gcf.figs.append(SimpleNamespace(canvas=SimpleNamespace(figure=made)))
    return made
def get_fignums(): return list(range(len(Gcf.figs)))
def close(which=None): Gcf.destroy_all()
def show():
    if backend: sys.modules[backend.split('//')[1]].show()
`,
};

/** A folder for PYTHONPATH. */
export function fakeMatplotlib(): string {
  const dir = mkdtempSync(join(tmpdir(), 'matplotlib-'));
  mkdirSync(join(dir, 'matplotlib/backends'), { recursive: true });
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(dir, path), text);
  return dir;
}
