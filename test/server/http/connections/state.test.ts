import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { Connection } from '../../../../server/http/connections/connection.ts'
import { Slots, type Worker } from '../../../../server/http/connections/slots.ts'
import { type Reader, readersBeyond } from '../../../../server/http/connections/unread.ts'
import { createVirtualClock } from '../../../support/clock.ts'

/** A connection without a server. `calls`: what Node's parser gets, and what the connection reports. */
function connection() {
  const socket = new Socket()
  const calls: string[] = []
  const parse = (bytes: Buffer) => void calls.push(`parse ${bytes}`)
  const parseEnd = () => void calls.push('parse the end')
  socket.on('data', parse).on('end', parseEnd)
  const one = new Connection(
    { socket, network: '127.0.0.1', isProxy: false },
    { received: (_, bytes) => calls.push(`received ${bytes}`), ended: () => calls.push('ended') },
  )
  one.takeOver()
  return { one, socket, calls }
}

function request({ one, socket }: ReturnType<typeof connection>, isWhole: boolean) {
  const incoming = new IncomingMessage(socket)
  incoming.complete = isWhole
  const response = new ServerResponse(incoming)
  one.responses.push(response)
  one.newest = response
}

it.each([
  ['no request', [], 'yes'],
  ['a request whose body is on its way', [false], 'in_turn'],
  ['a whole request', [true], 'no'],
  ['a second request', [false, true], 'no'],
] as const)('a connection with %s: may its parser have more? %s %s', (_, requests, expected) => {
  const made = connection()
  for (const isWhole of requests) request(made, isWhole)
  const clock = createVirtualClock()
  expect(made.one.mayParse(clock, false)).toBe(expected)
  made.one.phase = 'over'
  expect(made.one.mayParse(clock, false)).toBe('no')
})

it('a connection of a hub that stops parses the rest of a body that was answered early, and no new request', () => {
  const made = connection()
  const clock = createVirtualClock()
  expect(made.one.mayParse(clock, true)).toBe('no')
  request(made, false)
  made.one.responses.length = 0
  expect(made.one.mayParse(clock, true)).toBe('yes')
})

it('a connection that is held off starts and parses nothing until its time is over', async () => {
  const made = connection()
  const clock = createVirtualClock()
  made.one.offUntil = clock.elapsed() + 1_000
  expect(made.one.mayParse(clock, false)).toBe('no')
  request(made, true)
  expect(made.one.mayStart(clock)).toBe(false)
  await clock.wind(1_000)
  expect(made.one.mayStart(clock)).toBe(true)
  made.one.isStarted = true
  expect(made.one.mayStart(clock)).toBe(false)
})

it('a connection reports bytes, parses them by heads, and passes its end on when whole requests are answered', () => {
  const made = connection()
  const { one, socket, calls } = made
  socket.emit('data', Buffer.from('a'))
  one.held = Buffer.from('1\r\n\r\n2\r\n\r\n')
  one.parsePiece()
  expect(calls).toEqual(['received a', 'parse 1\r\n\r\n'])
  request(made, true)
  socket.emit('end')
  one.passEndOn()
  one.parsePiece()
  one.passEndOn()
  expect(calls.slice(2)).toEqual(['ended', 'parse 2\r\n\r\n'])
  one.responses.length = 0
  one.passEndOn()
  one.passEndOn()
  expect(calls.slice(4)).toEqual(['parse the end'])
})

it('a request that waits has one signal, which the end of its client aborts', () => {
  const made = connection()
  request(made, true)
  const signal = made.one.rests(1_000)
  expect(made.one.rests(1_000)).toBe(signal)
  expect(signal.aborted).toBe(false)
  made.socket.emit('end')
  expect(signal.aborted).toBe(true)
  made.one.responses.length = 0
  request(made, true)
  expect(made.one.rests(1_000).aborted).toBe(true)
})

it('a connection that is handed over reports nothing more, and gives the held bytes back', () => {
  const { one, socket, calls } = connection()
  one.held = Buffer.from('mqtt')
  one.handOver()
  socket.emit('end')
  expect(calls).toEqual([])
  expect([one.phase, one.held, String(socket.read())]).toEqual(['over', undefined, 'mqtt'])
})

const worker = (): Worker => ({ turn: 'none', workingSince: 0 })

it('slots are taken back from those that have worked for too long, and from them alone', async () => {
  const clock = createVirtualClock()
  const begun: Worker[] = []
  const slots = new Slots<Worker>(2, clock, (one) => begun.push(one))
  const [first, second, third] = [worker(), worker(), worker()]
  slots.take(first, 'a')
  slots.take(first, 'a')
  await clock.wind(150)
  slots.take(second, 'b')
  slots.take(third, 'c')
  expect([first, second, third].map(({ turn }) => turn)).toEqual(['working', 'working', 'queued'])
  slots.takeBackLate()
  expect(begun).toEqual([first, second])
  await clock.wind(50)
  slots.takeBackLate()
  expect(begun).toEqual([first, second, third])
  expect([first, second, third].map(({ turn }) => turn)).toEqual(['none', 'working', 'working'])
  slots.giveBack(first)
  slots.take(first, 'a')
  expect(first.turn).toBe('queued')
})

it('the largest readers are beyond the bounds: of each network first, then in all', () => {
  const reader = (countsFor: string | undefined, bytes: number): Reader => ({
    ...{ countsFor, held: Buffer.alloc(1) },
    socket: { writableLength: bytes - 2, readableLength: 1 },
  })
  const bounds = { unreadOfNetwork: 100, unreadBytes: 150 }
  const [small, large, other, proxy] = [
    reader('a', 40),
    reader('a', 70),
    reader('b', 90),
    reader(undefined, 120),
  ]
  expect([...readersBeyond([small, large], bounds)]).toEqual([large])
  expect([...readersBeyond([other, proxy], bounds)]).toEqual([proxy])
  expect([...readersBeyond([small, large, other, proxy], bounds)]).toEqual([large, proxy])
  expect(readersBeyond([small, other], bounds).size).toBe(0)
})
