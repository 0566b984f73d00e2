"""completion.py SHELL DIRECTORY: type command lines and Tab into the shell in a terminal, and see what it makes of them. The directory
has the completions."""
import os, pty, re, select, sys, time

shell, scripts = sys.argv[1:]
starts = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f". {scripts}/malitop"),
    "zsh": (["zsh", "-f", "-i"], f"fpath=({scripts} $fpath); autoload -U compinit; compinit -u -D"),
}
# what is typed, and the line that Tab makes of it
cases = [
    ("malitop record --keep", "malitop record --keep-going "),
    ("malitop replay run", "malitop replay run.mlog "),
    ("malitop export run.mlog -f per", "malitop export run.mlog -f perfetto "),
    ("malitop --theme=high", "malitop --theme=high-contrast "),
    ("malitop -b kbase:vin", "malitop -b kbase:vinstr"),
    ("malitop stat -m MaliGPUActiveCy,MaliFragQueueU", "malitop stat -m MaliGPUActiveCy,MaliFragQueueUtil"),
    ("malitop --gpu mali-t72", "malitop --gpu mali-t720 "),
    ("malitop serve --auth not", "malitop serve --auth notes.txt "),
    ("malitop stat -- cat not", "malitop stat -- cat notes.txt "),
]
argv, setup = starts[shell]
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="$ ", PROMPT_COMMAND="", HISTFILE="", LC_ALL="C")
    os.execvp(argv[0], argv)


def read_until(text, what):
    """Read until the output has the text."""
    shown, end = "", time.monotonic() + 60
    while text not in shown:
        if time.monotonic() > end:
            sys.exit(f"{shell}: {what}: expected '{text}', the terminal shows {shown!r}")
        if select.select([terminal], [], [], 1)[0]:
            shown += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r|\x07", "", os.read(terminal, 4096).decode(errors="replace"))
    return shown


os.write(terminal, f"stty cols 200; PS1='$ '; {setup}; echo rea''dy\n".encode())
read_until("ready", "start")
for typed, line in cases:
    # after Tab the line is made the argument of printf, which tells what it is
    os.write(terminal, b"\x15" + typed.encode() + b"\t" + b"'\x01printf '<%s>\\n' '\n")
    read_until("<" + line + ">", typed)
os.write(terminal, b"\x15exit\n")
os.waitpid(pid, 0)
