/**
 * Last part of the Python driver: takes requests, executes cells in one lasting `__main__`, and
 * tells how each ended. Everything that user code can break is set up again before the next cell.
 */
export const PYTHON_CELLS = String.raw`
_user = types.ModuleType('__main__')
_user.__dict__['__builtins__'] = builtins
sys.modules['__main__'] = _user
builtins.input = _input
# Meant for threads of the user's own; the driver's flushing thread is safe to fork beside.
warnings.filterwarnings('ignore', '.*multi-threaded, use of fork', DeprecationWarning)
builtins.display = display

_CELL = '<cell '
_DRIVER = sys._getframe().f_code.co_filename
_COROUTINE = 0x80  # inspect.CO_COROUTINE, without importing inspect
_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def _shell(command):
    import subprocess
    for stream in _streams:
        _flush(stream)
    subprocess.call(command, shell=True)


builtins.__cubeshift_shell__ = _shell
builtins.__cubeshift_cd__ = lambda path: os.chdir(os.path.expanduser(path or '~'))


def _dedented(code):
    """Cells that are indented as a whole, because they stand in a string of a program."""
    lines = code.split('\n')
    first = next((line for line in lines if line.strip()), '')
    indent = first[:len(first) - len(first.lstrip(' \t'))]
    if not indent:
        return code
    return '\n'.join(line[len(indent):] if line.startswith(indent) else line for line in lines)


def _magic(line):
    """Notebook shorthand that programs written for E2B use: !command, %cd, %pip, %matplotlib."""
    text = line.lstrip()
    indent = line[:len(line) - len(text)]
    word, _, rest = text.partition(' ')
    if text.startswith('!'):
        return indent + '__cubeshift_shell__(%r)' % text[1:].strip()
    if word == '%cd':
        return indent + '__cubeshift_cd__(%r)' % rest.strip()
    if word == '%pip':
        return indent + '__cubeshift_shell__(%r)' % ('"%s" -m pip %s' % (sys.executable, rest))
    if word == '%matplotlib':
        return indent + 'pass'
    return line


def _parsed(code, name):
    try:
        return ast.parse(code, name)
    except SyntaxError:
        plain = '\n'.join(_magic(line) for line in code.split('\n'))
        if plain != code:
            try:
                return ast.parse(plain, name)
            except SyntaxError:
                pass
        raise


def _evaluated(tree, name, mode):
    code = compile(tree, name, mode, _AWAIT, True)
    value = eval(code, _user.__dict__)
    return _awaited(value) if code.co_flags & _COROUTINE else value


_loop = None


def _awaited(coroutine):
    """All cells share one event loop, so that what one cell starts the next can await."""
    global _loop
    import asyncio
    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
    asyncio.set_event_loop(_loop)
    task = _loop.create_task(coroutine)
    _State.cancel = lambda: _loop.call_soon_threadsafe(task.cancel)
    try:
        try:
            value = _loop.run_until_complete(task)
        except KeyboardInterrupt:
            if task.done():
                raise
            # Something else in the loop was interrupted; the cell itself has to stop, too.
            _State.cancelled = True
            task.cancel()
            value = _loop.run_until_complete(task)
    except asyncio.CancelledError as stopped:
        if not _State.cancelled:
            raise
        # It shows where the cell was.
        raise KeyboardInterrupt().with_traceback(stopped.__traceback__) from None
    finally:
        _State.cancel = None
    return value


def _run(code, name):
    code = _dedented(code)
    linecache.cache[name] = (len(code), None, code.splitlines(True), name)
    body = _parsed(code, name).body
    last = None
    if body and isinstance(body[-1], ast.Expr) and not code.rstrip().endswith(';'):
        last = ast.Expression(body.pop().value)
    if body:
        _evaluated(ast.Module(body, []), name, 'exec')
    if last is not None:
        value = _evaluated(last, name, 'eval')
        if value is not None:
            builtins._ = value
            _show(_bundle(value), main=True)
    _figures_of_cell()


def _failure(error):
    trace = error.__traceback__
    while trace is not None and not trace.tb_frame.f_code.co_filename.startswith(_CELL):
        trace = trace.tb_next
    if trace is None and not isinstance(error, SyntaxError):
        trace = error.__traceback__  # raised in no cell: show all but this program
    try:
        value = str(error)
    except BaseException:
        value = '<the error has no text: its __str__ failed>'
    return {
        't': 'error',
        'name': type(error).__name__,
        'value': _well_formed(value),
        'traceback': _well_formed(_traceback(type(error), error, trace)),
    }


def _traceback(kind, error, trace):
    """As Python prints it, without the frames of this program: the interrupt ends in one."""
    told = traceback.TracebackException(kind, error, trace)
    pending, seen = [told], set()
    while pending:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        one.stack[:] = [frame for frame in one.stack if frame.filename != _DRIVER]
        pending += [one.__cause__, one.__context__]
    alone = not told.stack and told.__cause__ is None
    return ''.join(told.format_exception_only() if alone else told.format())


def _end_child(error):
    """A process forked by the cell that reached the cell's end: it must never serve requests."""
    code = 0
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
    elif error is not None:
        code = 1
        _write(2, _failure(error)['traceback'].encode('utf-8'))
    for stream in _streams:
        _flush(stream)
    os._exit(code & 0xff)


def _execute(request):
    _use_streams()
    _watch_interrupts()
    changed = {name: os.environ.get(name) for name in request['env']}
    os.environ.update(request['env'])
    _started.set()
    error = None
    try:
        try:
            _State.running = True
            _send({'t': 'running'})
            _run(request['code'], '%s%d>' % (_CELL, request['count']))
        finally:
            _State.running = False
    except BaseException as caught:
        error = caught
    _started.clear()
    if os.getpid() != _main_pid:
        _end_child(error)
    for name, value in changed.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    for stream in (sys.stdout, sys.stderr) + _streams:
        _flush(stream)
    if error is not None:
        _send(_failure(error))


def _start(request):
    _State.nonce = request['nonce']
    try:
        if request['cwd'] is not None:
            os.chdir(request['cwd'])
    except OSError as error:
        _send({'t': 'refused', 'reason': str(error)})
        sys.exit(1)
    threading.Thread(target=_flush_while_running, daemon=True).start()


signal.signal(signal.SIGINT, _on_interrupt)
for _line in _requests:
    _request = json.loads(_line)
    if _request['op'] == 'start':
        _start(_request)
    else:
        _execute(_request)
    # On both pipes: behind it nothing of this cell is under way any more.
    _send({'t': 'done'})
    _send({'t': 'done'}, _frames_err)
`;
