import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listenOnFreePort } from '../../../support/listen.ts'
import { until } from '../../../support/wait.ts'
import { openWire } from './wire.ts'

/** A server that repeats what it hears, and two wires to it. */
async function open() {
  const accepted: Socket[] = []
  const server = createServer((socket) => {
    accepted.push(socket.on('error', () => undefined))
    socket.pipe(socket)
  })
  onTestFinished(() => {
    server.close()
    for (const socket of accepted) socket.destroy()
  })
  const port = await listenOnFreePort(server)
  const wires = [
    await openWire({ host: '127.0.0.1', port }),
    await openWire({ host: '127.0.0.1', port }),
  ] as const
  onTestFinished(() => {
    for (const wire of wires) wire.close()
  })
  return { accepted, wires }
}

/** A client that sends a line and knows what came back. */
function talkTo({ host, port }: { host: string; port: number }) {
  const socket = connect({ host, port }).on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  const made = {
    socket,
    heard: '',
    hears: async (words: string) => until(words, () => made.heard.includes(words)),
  }
  socket.setEncoding('utf8').on('data', (text: string) => {
    made.heard += text
  })
  return made
}

/** So much time passes that what was forwarded would have come back. */
async function roundTrips(wire: { host: string; port: number }) {
  const client = talkTo(wire)
  for (let turn = 1; turn <= 20; turn += 1) {
    client.socket.write(`<${turn}>`)
    await client.hears(`<${turn}>`)
  }
}

it('loses nothing but time: what was sent or opened in the silence arrives when it is mended', async () => {
  const { wires } = await open()
  const [wire, other] = wires
  const old = talkTo(wire)
  old.socket.write('before ')
  await old.hears('before')
  wire.silence()
  old.socket.write('meanwhile ')
  const late = talkTo(wire)
  late.socket.write('late')
  await roundTrips(other)
  expect([old.heard, late.heard]).toEqual(['before ', ''])
  wire.mend()
  await old.hears('meanwhile')
  await late.hears('late')
})

it('tells nobody of an end in the silence, and both of it afterwards', async () => {
  const { accepted, wires } = await open()
  const [wire, other] = wires
  const connected = async () => {
    const client = talkTo(wire)
    client.socket.write('here')
    await client.hears('here')
    return client
  }
  const [first, second] = [await connected(), await connected()]
  wire.silence()
  first.socket.destroy()
  accepted[1]?.destroy()
  await roundTrips(other)
  expect([accepted[0]?.destroyed, second.socket.destroyed]).toEqual([false, false])
  wire.mend()
  await until('both ends', () => accepted[0]?.destroyed && second.socket.destroyed)
})

it('forgets the connections that stand, and takes new ones', async () => {
  const { wires } = await open()
  const [wire] = wires
  const old = talkTo(wire)
  old.socket.write('before')
  await old.hears('before')
  wire.forget()
  old.socket.write('after')
  await roundTrips(wire)
  wire.silence()
  wire.mend()
  await roundTrips(wire)
  expect([old.heard, old.socket.destroyed]).toEqual(['before', false])
})
