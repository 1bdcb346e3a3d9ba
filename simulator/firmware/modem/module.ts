import type { Argument, Command } from './at.ts'
import type { Faults } from './faults.ts'
import type { Radio } from './radio.ts'
import type { ModemSocket, SocketKind } from './sockets.ts'

/** What a module knows between two commands. A restart begins with a new one. */
export interface ModuleState {
  /** Set by the first `AT`; before, no other command is understood. */
  isSynced: boolean
  echo: boolean
  /** Whether errors have numbers, and changes of the registration are told. */
  errorNumbers: boolean
  tellsRegistration: boolean
  /** 'lost': the network has ended it, and the host has not deactivated it yet. */
  context: 'idle' | 'active' | 'lost'
  isSimReady: boolean
  /** Whether it has searched for long enough. */
  hasFoundNetwork: boolean
  lastError: number
  sockets: Map<string, ModemSocket>
  ssl: Map<number, SslContext>
}

export interface SslContext {
  securityLevel: number
  caFile: string | undefined
  sni: boolean
  checkHost: boolean
}

/** The defaults of the manual of BG95: nothing is verified. */
export const DEFAULT_SSL: SslContext = {
  ...{ securityLevel: 0, caFile: undefined, sni: false, checkHost: false },
}

export function startedModule(): ModuleState {
  return {
    ...{ isSynced: false, echo: true, errorNumbers: true, tellsRegistration: false },
    ...{ context: 'idle', isSimReady: false, hasFoundNetwork: false, lastError: 0 },
    ...{ sockets: new Map(), ssl: new Map() },
  }
}

/** What commands can do to the module around them. */
export interface Core {
  readonly state: ModuleState
  readonly faults: Readonly<Faults>
  readonly radio: Radio
  /** Unix milliseconds. */
  now(): number
  /** A file of the module, for example an authority's certificate. */
  file(name: string): Uint8Array | undefined
  /** Tells the host something that it did not ask for. */
  urc(text: string): void
  restart(): void
  switchOff(): void
}

export interface Answer {
  kind: 'answer'
  /** Lines before the final one; bytes are sent as they are, with an end of line. */
  lines?: readonly (string | Uint8Array)[]
  final: string
  /** How long the command runs, if longer than usual. */
  takesMs?: number
  /** What happens after the answer. */
  afterwards?: () => void
}

/** The reaction to a command. */
export type Outcome =
  | Answer
  /** Asks for exactly so many bytes; `take` returns the final answer. */
  | { kind: 'prompt'; bytes: number; take: (bytes: Uint8Array) => string }

export const OK: Answer = { kind: 'answer', final: 'OK' }
export const ERROR: Answer = { kind: 'answer', final: 'ERROR' }
export const cmeError = (code: number): Outcome => ({ kind: 'answer', final: `+CME ERROR: ${code}` })
export const shows = (...lines: (string | Uint8Array)[]): Outcome => ({ kind: 'answer', lines, final: 'OK' })

export type Handler = (core: Core, command: Command) => Outcome
/** A handler of the form with arguments; all other forms are refused. */
export const write =
  (handle: (core: Core, args: readonly Argument[]) => Outcome): Handler =>
  (core, command) =>
    command.form === 'write' ? handle(core, command.args) : ERROR

export const socketKey = (kind: SocketKind, id: number) => `${kind}${id}`

/** The registration as the module reports it: it searches for a while after its start. */
export function registrationOf({ state, faults }: Core): number {
  if (!state.isSimReady || faults.noSim || !state.hasFoundNetwork) return faults.registration === 3 ? 3 : 2
  return faults.registration
}

export const isRegistered = (core: Core) => [1, 5].includes(registrationOf(core))

/** All connections are gone, and the hub is not told. */
export function loseSockets({ state }: Core): void {
  for (const socket of state.sockets.values()) socket.vanish()
}
