import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Duplex } from 'node:stream'

/** Of Debian's package qemu-system-arm. */
export const QEMU = 'qemu-system-arm'
/** An Arm MPS2 board with a Cortex-M4: see protocol/examples/c/mcu/boards/mps2/. */
const MACHINE = 'mps2-an386'
/** The UARTs in the order of `-serial`. */
const UARTS = ['log', 'modem', 'dac', 'pins'] as const
type Uart = (typeof UARTS)[number]
/** Standard input, output and error come before. */
const FIRST_FD = 3
/** Characters of its error message that are kept, the last ones. */
const MOST_COMPLAINT = 2_000

/** The exit code when `cut` has torn a write. */
export const CUT_CODE = 9

export interface EmulatorOptions {
  /** The firmware, an ELF file. */
  image: string
  /** The folder of its files. */
  folder: string
  /** Words of the semihosting command line, such as `flash=FILE` and `cut=N`; no spaces. */
  words: readonly string[]
  /** A line of the log. */
  onLog(line: string): void
  onModem(bytes: Uint8Array): void
  /** Mu-law, 8 kHz. */
  onSound(bytes: Uint8Array): void
  onPins(bytes: Uint8Array): void
}

/** A running board. */
export interface Emulator {
  pid: number
  /** Bytes from the module. */
  toModem(bytes: Uint8Array): void
  /** Characters for the pins. */
  toPins(text: string): void
  /** Cuts the power: SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>
  /** How it has ended: its exit code, undefined after a signal. `complaint`: what QEMU said. */
  ended: Promise<{ code: number | undefined; complaint: string }>
}

/**
 * Starts the board. Its UARTs are sockets that it inherits, so that nothing is left in a folder or on a port. It ends
 * with this process, however that ends.
 */
export function startEmulator({ image, folder, words, ...on }: EmulatorOptions): Emulator {
  const uarts = UARTS.flatMap((name, index) => [
    ...['-chardev', `socket,id=${name},fd=${FIRST_FD + index}`],
    ...['-serial', `chardev:${name}`],
  ])
  const semihosting = [
    'enable=on',
    'target=native',
    ...['firmware', ...words].map((word) => `arg=${word.replaceAll(',', ',,')}`),
  ]
  const child = spawn(
    QEMU,
    [
      ...['-M', MACHINE, '-display', 'none', '-monitor', 'none', '-kernel', image],
      ...['-semihosting-config', semihosting.join(','), ...uarts],
    ],
    // Ctrl+C signals a whole process group: the firmware must not end before it has said `bye`.
    { cwd: folder, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'] },
  )
  const uart = (name: Uart) => child.stdio[FIRST_FD + UARTS.indexOf(name)] as Duplex
  for (const name of UARTS) uart(name).on('error', () => undefined)
  createInterface({ input: uart('log') }).on('line', on.onLog)
  uart('modem').on('data', on.onModem)
  uart('dac').on('data', on.onSound)
  uart('pins').on('data', on.onPins)
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-MOST_COMPLAINT)
  })
  const ended = new Promise<{ code: number | undefined; complaint: string }>((resolve) => {
    child.once('error', (error) => resolve({ code: undefined, complaint: error.message }))
    child.once('close', (code) => resolve({ code: code ?? undefined, complaint: complaint.trim() }))
  })
  if (child.pid !== undefined) endWithUs(child, child.pid)
  return {
    pid: child.pid ?? 0,
    toModem: (bytes) => void uart('modem').write(bytes),
    toPins: (text) => void uart('pins').write(text),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    ended,
  }
}

/**
 * A shell that holds the other end of a pipe from this process: when the pipe ends, because this process was killed, it
 * kills the board.
 */
function endWithUs(child: ChildProcess, pid: number): void {
  const keeper = spawn('sh', ['-c', 'read -r _; kill -9 "$0"', `${pid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  keeper.on('error', () => undefined)
  child.once('exit', () => keeper.kill('SIGKILL'))
  // It must not keep this process alive by itself.
  keeper.unref()
}
