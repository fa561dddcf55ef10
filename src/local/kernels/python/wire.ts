/**
 * First part of the Python driver: the way out. Frames are written to a private copy of standard
 * output, each piece in one write that the system keeps whole, so that what user code and its child
 * processes write to the same pipe can stand between pieces but never inside one.
 */
export const PYTHON_WIRE = String.raw`
import ast
import base64
import builtins
import importlib.machinery
import io
import itertools
import json
import linecache
import os
import select
import signal
import sys
import threading
import time
import traceback
import types
import warnings

if here == '':
    sys.path.insert(0, here)

_driver = sys.modules['__main__']  # replaced below; its globals must live on
_main_pid = os.getpid()
_main_thread = threading.get_ident()

# User code must neither read requests nor close the way out: it gets copies.
_requests = os.fdopen(os.dup(0), 'rb')
_frames_out = os.dup(1)
_frames_err = os.dup(2)
_null = os.open(os.devnull, os.O_RDONLY)
os.dup2(_null, 0)
os.close(_null)


class _State:
    nonce = ''
    running = False  # user code is being executed: an interrupt means it
    shield = 0  # depth of sections that an interrupt must not tear
    interrupted = False  # an interrupt came inside such a section
    came = False  # an interrupt came to the process, and
    heard = False  # Python ran the handler for it
    swallowed = False  # an interrupt was raised where Python drops what is raised
    cancel = None  # while the event loop runs: has it cancel the cell's task
    cancelled = False  # that was done for an interrupt


def _on_interrupt(number, frame):
    _State.heard = True
    if not _State.running:
        return
    if _State.shield:
        _State.interrupted = True
    elif _State.cancel is not None and _is_between_steps(frame):
        _State.cancelled = True
        _State.cancel()
    else:
        raise KeyboardInterrupt


def _is_between_steps(frame):
    """Whether the event loop itself was interrupted: raised there, a step it just took up is lost."""
    driver = sys._getframe().f_code.co_filename
    while frame is not None and frame.f_code.co_filename != driver:
        folder, file = os.path.split(frame.f_code.co_filename)
        if os.path.basename(folder) != 'asyncio' and file != 'selectors.py':
            return False
        frame = frame.f_back
    return True


def _on_unraisable(told):
    """Finalizers drop what is raised in them. An interrupt that hit one is given again, after it."""
    if told.exc_type is KeyboardInterrupt and _State.running:
        _State.swallowed = True
    else:
        sys.__unraisablehook__(told)


# Every signal's number, written by Python itself the moment it comes.
_signals, _signals_in = os.pipe()
os.set_blocking(_signals, False)
os.set_blocking(_signals_in, False)


def _watch_interrupts():
    """For the cell that begins."""
    signal.signal(signal.SIGINT, _on_interrupt)
    signal.set_wakeup_fd(_signals_in, warn_on_full_buffer=False)
    sys.unraisablehook = _on_unraisable
    with _flushing:
        _interrupt_came()
        _State.came = _State.heard = _State.swallowed = False
    _State.interrupted = _State.cancelled = False


def _interrupt_came():
    try:
        return signal.SIGINT in os.read(_signals, 65536)
    except OSError:  # none, or user code closed the pipe
        return False


def _tell_lost_interrupt():
    """
    Gives one again that a finalizer dropped, or that came just before a system call that waits:
    Python runs the handler only when that returns.
    """
    is_lost = _State.swallowed or (_State.came and not _State.heard)
    if is_lost and signal.getsignal(signal.SIGINT) is _on_interrupt:
        _State.swallowed = False
        signal.pthread_kill(_main_thread, signal.SIGINT)
    _State.came = _State.came or _interrupt_came()


class _Shield:
    """Delays an interrupt to the end of a section. Python runs handlers in the main thread only."""

    def __enter__(self):
        self.main = threading.get_ident() == _main_thread
        if self.main:
            _State.shield += 1

    def __exit__(self, *ignored):
        if self.main:
            _State.shield -= 1
            if _State.interrupted and not _State.shield:
                _State.interrupted = False
                if _State.running:
                    raise KeyboardInterrupt


def _write(fd, data):
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(fd, view):]
        except BlockingIOError:  # a child made the shared pipe non-blocking
            select.select([], [fd], [])


_frame_numbers = itertools.count()
_PIECE = 3900  # with its head below the 4096 bytes that a pipe takes whole


def _send(message, fd=None):
    if os.getpid() != _main_pid:
        return
    data = json.dumps(message).encode('ascii')
    number = next(_frame_numbers)
    with _Shield():
        for start in range(0, len(data), _PIECE):
            piece = data[start:start + _PIECE]
            more = '+' if start + _PIECE < len(data) else '.'
            head = '\x1e%s:%d:%s' % (_State.nonce, number, more)
            _write(_frames_out if fd is None else fd, head.encode('ascii') + piece + b'\n')


def _well_formed(text):
    """Lone surrogates are legal in Python's strings and in nothing that reads them."""
    try:
        text.encode('utf-8')
        return text
    except UnicodeEncodeError:
        return text.encode('utf-16-le', 'surrogatepass').decode('utf-16-le', 'replace')


class _Errors(io.RawIOBase):
    """sys.stderr as frames: they keep their place between what is printed to sys.stdout."""

    def writable(self):
        return True

    def fileno(self):
        return 2

    def write(self, data):
        data = bytes(data)
        if os.getpid() == _main_pid:
            _flush(_streams[0])
            _send({'t': 'stderr', 'text': data.decode('utf-8', 'replace')})
        else:
            _write(2, data)
        return len(data)


class _NoInput(io.TextIOBase):
    """input() has nobody to ask; exit() closes its standard input and must not end later cells."""

    encoding = 'utf-8'

    def readable(self):
        return True

    def fileno(self):
        return 0

    def read(self, *ignored):
        return ''

    def readline(self, *ignored):
        return ''

    def close(self):
        pass


class StdinNotImplementedError(NotImplementedError):
    """Named as in Jupyter, which programs that catch it know."""


def _input(prompt=''):
    raise StdinNotImplementedError('input() was called, but a code cell has no input to read')


def _flush(stream):
    try:
        stream.flush()
    except Exception:
        pass


def _open_streams():
    raw = io.FileIO(1, 'wb', closefd=False)
    out = io.TextIOWrapper(
        io.BufferedWriter(raw), 'utf-8', errors='backslashreplace', line_buffering=True
    )
    err = io.TextIOWrapper(
        io.BufferedWriter(_Errors()), 'utf-8', errors='backslashreplace', line_buffering=True
    )
    return out, err


_streams = _open_streams()
_flushing = threading.Lock()
_started = threading.Event()


def _flush_while_running():
    """
    What is printed without a line end shows up too while the cell goes on. A cell whose user is
    gone, which shows in the pipe of requests, must not stay behind.
    """
    left = select.poll()
    left.register(_requests, getattr(select, 'POLLRDHUP', 0))
    while True:
        _started.wait()
        time.sleep(0.1)
        if _started.is_set() and left.poll(0):
            os.kill(os.getpid(), signal.SIGKILL)
        with _flushing:
            _tell_lost_interrupt()
            for stream in _streams:
                _flush(stream)


def _before_fork():
    _flushing.acquire()
    for stream in _streams:
        _flush(stream)


def _in_child():
    _flushing.release()
    signal.set_wakeup_fd(-1)


os.register_at_fork(
    before=_before_fork, after_in_parent=_flushing.release, after_in_child=_in_child
)


def _use_streams():
    """Before every cell: user code may have replaced or closed them."""
    global _streams
    os.dup2(_frames_out, 1)
    os.dup2(_frames_err, 2)
    if any(stream.closed for stream in _streams):
        _streams = _open_streams()
    sys.stdin = sys.__stdin__ = _NoInput()
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = _streams
`;
