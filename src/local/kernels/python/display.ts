/**
 * Second part of the Python driver: from an object to its MIME bundle, by the methods that rich
 * objects have for Jupyter. A small `IPython.display` stands in where IPython is not installed.
 */
export const PYTHON_DISPLAY = String.raw`
_FORMATS = (
    ('text/html', '_repr_html_'),
    ('text/markdown', '_repr_markdown_'),
    ('image/svg+xml', '_repr_svg_'),
    ('image/png', '_repr_png_'),
    ('image/jpeg', '_repr_jpeg_'),
    ('application/pdf', '_repr_pdf_'),
    ('text/latex', '_repr_latex_'),
    ('application/json', '_repr_json_'),
    ('application/javascript', '_repr_javascript_'),
    ('e2b/data', '_repr_e2b_data_'),
    ('e2b/chart', '_repr_e2b_chart_'),
)


def _method(value, name):
    """A display method that the object really has: some answer to every name, classes to none."""
    if isinstance(value, type):
        return None
    try:
        if callable(getattr(value, '_no_object_has_this_display_method_', None)):
            return None
        method = getattr(value, name, None)
    except Exception:
        return None
    return method if callable(method) else None


def _formatted(make):
    """A display method that fails costs its format only; what failed is told on stderr."""
    try:
        made = make()
    except NotImplementedError:
        return None
    except Exception:
        traceback.print_exc()
        return None
    return made[0] if isinstance(made, tuple) and made else made


def _plain(value):
    """The JSON that a list or dict is, or TypeError. Numbers that JSON lacks become null."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int) and abs(value) < 2 ** 63:
        return int(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else None
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _plain(item) for key, item in value.items()}
    if hasattr(value, 'isoformat'):
        return value.isoformat()
    if type(value).__module__ == 'numpy' and hasattr(value, 'tolist'):
        return _plain(value.tolist())
    raise TypeError(type(value).__name__)


def _json_of(value):
    try:
        return _plain(value)
    except (TypeError, RecursionError):
        return None


def _frame_data(frame):
    """The columns of a pandas table, for clients that draw it themselves."""
    return _json_of(frame.to_dict(orient='list'))


def _known(value):
    """Formats of types that have no display method for them."""
    bundle = {}
    if isinstance(value, (list, dict)):
        bundle['application/json'] = _json_of(value)
    pandas = sys.modules.get('pandas')
    if isinstance(value, getattr(pandas, 'DataFrame', ())):
        bundle['e2b/data'] = _formatted(lambda: _frame_data(value))
    figure = getattr(sys.modules.get('matplotlib.figure'), 'Figure', ())
    if isinstance(value, figure):
        bundle['image/png'] = _formatted(lambda: _figure_png(value))
        bundle['e2b/chart'] = _formatted(lambda: _figure_chart(value, 'superchart'))
    return bundle


def _bundle(value):
    """The MIME bundle of a value; None if it displayed itself."""
    own = _method(value, '_ipython_display_')
    if own is not None:
        own()
        return None
    bundle = {}
    several = _method(value, '_repr_mimebundle_')
    if several is not None:
        bundle.update(_formatted(lambda: several(include=None, exclude=None)) or {})
    for mime, name in _FORMATS:
        method = _method(value, name) if mime not in bundle else None
        if method is not None:
            bundle[mime] = _formatted(method)
    for mime, made in _known(value).items():
        bundle.setdefault(mime, made)
    if 'text/plain' not in bundle:
        bundle['text/plain'] = _formatted(lambda: repr(value))
    return _cleaned(bundle)


def _cleaned(bundle):
    """What can be sent: bytes as base64, text without lone surrogates, nothing empty."""
    sent = {}
    for mime, made in bundle.items():
        if isinstance(made, (bytes, bytearray, memoryview)):
            made = base64.b64encode(made).decode('ascii')
        elif isinstance(made, str):
            made = _well_formed(made)
        elif made is not None:
            made = _json_of(made)
        if made is not None:
            sent[str(mime)] = made
    return sent


def _show(bundle, main=False):
    for stream in _streams:
        _flush(stream)
    if bundle:
        _send({'t': 'result', 'data': bundle, 'main': main})


def display(*values, raw=False, **ignored):
    """Shows values besides the cell's own result, as in Jupyter."""
    for value in values:
        _show(_cleaned(value) if raw else _bundle(value))


_AS_DISPLAYED = {
    'HTML': 'text/html',
    'Markdown': 'text/markdown',
    'SVG': 'image/svg+xml',
    'Latex': 'text/latex',
    'Math': 'text/latex',
    'JSON': 'application/json',
    'Javascript': 'application/javascript',
}


def _displayed_class(name, mime):
    class Displayed:
        def __init__(self, data=None, url=None, filename=None, **ignored):
            if filename is None and mime == 'image/svg+xml' and isinstance(data, str):
                filename = data if not data.lstrip().startswith('<') else None
            if filename is not None:
                with open(filename, encoding='utf-8') as file:
                    data = file.read()
            self.data = data

        def _repr_mimebundle_(self, include=None, exclude=None):
            return {mime: self.data, 'text/plain': '<IPython.core.display.%s object>' % name}

    Displayed.__name__ = Displayed.__qualname__ = name
    return Displayed


class Image:
    """A picture from bytes or a file; its kind is in its first bytes."""

    def __init__(self, data=None, url=None, filename=None, **ignored):
        if isinstance(data, str):
            data, filename = None, data
        if data is None and filename is not None:
            with open(filename, 'rb') as file:
                data = file.read()
        self.data = data
        self.url = url

    def _repr_mimebundle_(self, include=None, exclude=None):
        text = '<IPython.core.display.Image object>'
        if self.data is None:
            return {'text/html': '<img src="%s"/>' % self.url, 'text/plain': text}
        jpeg = bytes(self.data[:2]) == b'\xff\xd8'
        return {'image/jpeg' if jpeg else 'image/png': self.data, 'text/plain': text}


def _stand_in(name):
    module = types.ModuleType(name)
    module.__path__ = []
    module.display = display
    module.clear_output = lambda *ignored, **also: None
    module.get_ipython = lambda: None
    module.Image = Image
    for made, mime in _AS_DISPLAYED.items():
        setattr(module, made, _displayed_class(made, mime))
    return module


class _IPythonStandIn:
    """Asked last, so that an installed IPython comes first."""

    NAMES = ('IPython', 'IPython.display', 'IPython.core', 'IPython.core.display')

    def find_spec(self, name, path=None, target=None):
        if name in self.NAMES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _stand_in(spec.name)

    def exec_module(self, module):
        pass


class _AfterImport:
    """Calls a function once when a module has been imported: nothing is imported for its sake."""

    def __init__(self, hooks):
        self.hooks = hooks

    def find_spec(self, name, path=None, target=None):
        hook = self.hooks.get(name)
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if hook else None
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            self.hooks.pop(name, None)
            hook(module)

        spec.loader.exec_module = exec_module
        return spec


def _use_our_display(module):
    module.display = display


sys.meta_path.append(_IPythonStandIn())
sys.meta_path.insert(0, _AfterImport({
    'IPython.core.display_functions': _use_our_display,
    'matplotlib.pyplot': _use_our_backend,
}))
`;
