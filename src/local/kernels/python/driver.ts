import { PYTHON_CELLS } from './cells.ts';
import { PYTHON_CHARTS } from './charts.ts';
import { PYTHON_DISPLAY } from './display.ts';
import { PYTHON_FIGURES } from './figures.ts';
import { PYTHON_WIRE } from './wire.ts';

/** The whole Python driver, one program of the standard library only, for Python 3.8 and newer. */
export const PYTHON_DRIVER = [
  PYTHON_WIRE,
  PYTHON_CHARTS,
  PYTHON_FIGURES,
  PYTHON_DISPLAY,
  PYTHON_CELLS,
].join('\n');

/**
 * Gives the driver a file name of its own, by which its frames are known in tracebacks: the code of
 * `-c` is called `<string>`, as is much of what programs make up. While the driver loads, the current
 * folder is not searched, so that a `json.py` of the user's cannot keep the kernel from starting.
 */
export const PYTHON_START = [
  'import sys',
  'here = sys.path[:1] == [""] and sys.path.pop(0)',
  'exec(compile(sys.argv.pop(), "<cubeshift kernel>", "exec"))',
].join('\n');
