import { setMaxListeners } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectSecurely, createSecureContext } from 'node:tls'
import { randomFrom } from '../../support/random.ts'
import type { Listener, Tally, Target } from './target.ts'

/**
 * The attackers' addresses. The victim has 127.0.0.1. Linux answers on all of 127.0.0.0/8. Each is a network to the hub:
 * with 500 connections from each, eleven fill a table of 5,000.
 */
const ADDRESSES = Array.from({ length: 11 }, (_, index) => `127.0.0.${index + 2}`)

/** The tools of an attack until its time is over. Its sockets are destroyed at the end. */
export interface Round {
  readonly isOver: boolean
  /** The part of the time that has passed, 0 to 1. */
  passed(): number
  readonly random: () => number
  readonly tally: Tally
  count(what: string, by?: number): void
  /** Resolves after this time, or at the end. */
  pause(ms: number): Promise<void>
  /** A connection that swallows its errors: whoever attacks expects to be cut off. */
  connect(to: Listener, from: string): Socket
  /** Runs `act` in so many loops side by side until the end. The gap bounds what the attackers' process does. */
  crowd(size: number, gapMs: number, act: (member: number) => Promise<void>): Promise<void>
}

/** An attack. It ends soon after the round is over. */
export type Attack = (target: Target, round: Round) => Promise<void>

export function openRound(seconds: number, seed: number): Round {
  const startedAt = performance.now()
  const ended = AbortSignal.timeout(seconds * 1000)
  const sockets = new Set<Socket>()
  const tally: Tally = {}
  // Every pause listens to it.
  setMaxListeners(0, ended)
  ended.addEventListener('abort', () => {
    for (const socket of sockets) socket.destroy()
  })
  const count = (what: string, by = 1) => {
    tally[what] = (tally[what] ?? 0) + by
  }
  const pause = (ms: number) => sleep(ms, undefined, { signal: ended }).catch(() => undefined)
  return {
    get isOver() {
      return ended.aborted
    },
    passed: () => (performance.now() - startedAt) / (seconds * 1000),
    random: randomFrom(seed),
    ...{ tally, count, pause },
    connect(to, from) {
      const socket = open(to, from)
      if (ended.aborted) socket.destroy()
      sockets.add(socket)
      count('connections')
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
      return socket
    },
    async crowd(size, gapMs, act) {
      const member = async (number: number) => {
        // Spread over the gap, so that they don't all act at once for ever.
        await pause((number / size) * gapMs)
        while (!ended.aborted) {
          await act(number)
          await pause(gapMs)
        }
      }
      await Promise.all(Array.from({ length: size }, (_, number) => member(number)))
    },
  }
}

/** To make one for each connection would take most of the attackers' time. */
const secureContext = createSecureContext()

function open({ host, port, isSecure }: Listener, from: string): Socket {
  const options = { host, port, localAddress: from }
  if (isSecure) return connectSecurely({ ...options, secureContext, rejectUnauthorized: false })
  return connect({ ...options, noDelay: true })
}

/** One address for the lower half of a crowd's members, several for the others. */
export function halfFromOne(member: number, size: number): string {
  return member < size / 2 ? oneAddress() : anyAddress(member)
}

function oneAddress(): string {
  return ADDRESSES[0] ?? ''
}

export function anyAddress(member: number): string {
  return ADDRESSES[member % ADDRESSES.length] ?? ''
}

/** Resolves with the next bytes; undefined when the connection has ended. */
export function nextBytes(socket: Socket): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve(undefined)
    const end = (bytes?: Buffer) => {
      socket.off('data', end).off('close', closed)
      resolve(bytes)
    }
    const closed = () => end()
    socket.on('data', end).on('close', closed)
  })
}

/** Resolves when the connection has ended. What it has received is dropped. */
export function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve()
    else socket.resume().once('close', () => resolve())
  })
}
