import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { killIfThere } from '../../../../simulator/platform/process-alive.ts'
import { findProgram } from '../../../support/processes/program.ts'
import type { Stage } from '../../scenario.ts'
import type { BreakablePart, Part } from './part.ts'

/** The parts of a hub's network, and the way by which the scenario looks at a hub that is cut off. */
const LINES = ['partners', 'speakers', 'database', 'watch'] as const
type Line = (typeof LINES)[number]

/** A private range that hardly any network has. Each run takes 10.213.x.0/24, and each line a quarter of it. */
const RANGE = '10.213'
const OCTETS = 256
const PREFIX = 26
const QUARTER = OCTETS / LINES.length
/** The number of the scenario at each line. Those of the hubs follow. */
const OWN = 1
/** Namespaces have the octet, the pid of the run and, for a hub, its number. */
const NAME = /^soundbox-\d+-(\d+)(-\d+)?$/

/** Networks of the kernel between the scenario and its hubs. Nothing is routed into them or out of them. */
export interface Namespaces {
  /** The addresses of the scenario. */
  own: Readonly<Record<Line, string>>
  hubs: readonly HubNamespace[]
}

export interface HubNamespace {
  addresses: Readonly<Record<Line, string>>
  /** The words before a command that run it there. */
  enter: readonly string[]
  /** Packets are lost in both directions, and no interface of the hub or of the scenario goes down. */
  parts: Readonly<Record<Part, BreakablePart>>
}

/**
 * Makes a namespace for each of so many hubs, and one with a bridge for each line, to which the scenario is connected, too.
 * The end of the scenario removes them. Those that a killed run has left are removed here.
 */
export function openNamespaces(
  count: number,
  { onEnd }: Pick<Stage, 'onEnd'>,
): Namespaces | { missing: string } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { missing: 'only root of Linux may make network namespaces' }
  if (findProgram('ip') === undefined) return { missing: 'ip of iproute2 is not installed' }
  removeLeftovers()
  for (let tried = 0; tried < OCTETS; tried += 1) {
    // Runs that begin together try different ones first.
    const octet = (process.pid + tried) % OCTETS
    if (isUsed(octet)) continue
    const name = `soundbox-${octet}-${process.pid}`
    try {
      ip(['netns', 'add', name])
      const made = connect(name, octet, count)
      onEnd(() => remove(ofRun(name)))
      return made
    } catch (error) {
      remove(ofRun(name))
      const why = String(Object(error).stderr).trim()
      // Another run has taken it since.
      if (!why.includes('File exists')) return { missing: `this machine refuses network namespaces: ${why}` }
    }
  }
  return { missing: `this machine uses all of ${RANGE}.0.0/16` }
}

/**
 * `name` is that of the namespace with the bridges, which has no address itself. The scenario's own interfaces have no pid
 * in their names: the kernel refuses these names to a second run, so the first one has the octet. They go with the
 * namespace.
 */
function connect(name: string, octet: number, count: number): Namespaces {
  const numbers = Array.from({ length: 1 + count }, (_, index) => OWN + index)
  const address = (line: Line, number: number) =>
    `${RANGE}.${octet}.${LINES.indexOf(line) * QUARTER + number}`
  const hardware = (line: Line, number: number) =>
    [0x02, 0xd5, 0, octet, LINES.indexOf(line), number]
      .map((part) => part.toString(16).padStart(2, '0'))
      .join(':')
  const port = (line: Line, number: number) => `to-${number}-${line}`
  const addresses = (number: number) => byLine((line) => address(line, number))

  ip(['-n', name], (line) => [`link add ${line} type bridge`, `link set ${line} up`])
  for (const number of numbers) {
    const hub = number === OWN ? undefined : `${name}-${number}`
    if (hub) ip(['netns', 'add', hub])
    const device = (line: Line) => (hub ? line : `sb${octet}-${line}`)
    ip([], (line) => [
      `link add ${device(line)} address ${hardware(line, number)} ${hub ? `netns ${hub}` : ''} \
       type veth peer name ${port(line, number)} netns ${name}`,
    ])
    ip(['-n', name], (line) => [`link set ${port(line, number)} master ${line} up`])
    ip(hub ? ['-n', hub] : [], (line) => [
      `address add ${address(line, number)}/${PREFIX} dev ${device(line)}`,
      `link set ${device(line)} up`,
      // As behind a router. If it had to ask for these, a connection into the silence would fail after three seconds.
      ...numbers
        .filter((other) => other !== number)
        .map(
          (other) => `neighbour add ${address(line, other)} lladdr ${hardware(line, other)} \
                         nud permanent dev ${device(line)}`,
        ),
    ])
  }

  const part = (line: Part, number: number): BreakablePart => ({
    silence: () => ip(['-n', name, 'link', 'set', port(line, number), 'nomaster']),
    mend: () => ip(['-n', name, 'link', 'set', port(line, number), 'master', line]),
  })
  return {
    own: addresses(OWN),
    hubs: numbers.slice(1).map((number) => ({
      addresses: addresses(number),
      enter: ['ip', 'netns', 'exec', `${name}-${number}`],
      parts: {
        partners: part('partners', number),
        speakers: part('speakers', number),
        database: part('database', number),
      },
    })),
  }
}

function byLine<T>(of: (line: Line) => T): Record<Line, T> {
  const [partners, speakers, database, watch] = LINES
  return { partners: of(partners), speakers: of(speakers), database: of(database), watch: of(watch) }
}

/** Whether the machine has an address or a route there. */
function isUsed(octet: number): boolean {
  const network = `${RANGE}.${octet}.0/24`
  return [
    ['address', 'show', 'to', network],
    ['route', 'show', 'root', network],
  ].some((words) => ip(['-4', ...words]) !== '')
}

function removeLeftovers() {
  remove((name) => {
    const [, pid] = NAME.exec(name) ?? []
    return pid !== undefined && !existsSync(`/proc/${pid}`)
  })
}

function ofRun(run: string) {
  return (name: string) => name === run || name.startsWith(`${run}-`)
}

/** Removes namespaces. Ends what still runs in them: it would keep them. */
function remove(isChosen: (name: string) => boolean) {
  const names = ip(['netns', 'list'])
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
  for (const name of names.filter(isChosen)) {
    try {
      for (const pid of ip(['netns', 'pids', name]).split('\n').filter(Boolean)) killIfThere(Number(pid))
      ip(['netns', 'delete', name])
    } catch {
      // Another run removes it, too.
    }
  }
}

/** Runs `ip` with these words, or with commands for each line. Throws what it complains about. */
function ip(words: readonly string[], commands?: (line: Line) => string[]): string {
  const stdio = ['pipe', 'pipe', 'pipe'] as const
  if (!commands) return execFileSync('ip', words, { encoding: 'utf8', stdio: [...stdio] })
  const input = LINES.flatMap(commands).join('\n')
  return execFileSync('ip', [...words, '-batch', '-'], { encoding: 'utf8', stdio: [...stdio], input })
}
