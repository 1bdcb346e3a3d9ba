import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { DelayedStream } from '../../../../../simulator/speaker/connection/line/delayed-stream.ts'
import { WoundClock } from '../../../support/wound-clock.ts'

/** A connection whose other end is this test. */
class Line extends Duplex {
  readonly written: string[] = []

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.written.push(chunk.toString())
    done()
  }
}

function late(delayMs: () => number) {
  const clock = new WoundClock()
  const line = new Line()
  const stream = new DelayedStream(line, { clock, delayMs })
  const read: string[] = []
  stream.on('data', (chunk) => read.push(String(chunk)))
  stream.on('error', () => undefined)
  return { clock, line, stream, read }
}

describe('a delayed stream', () => {
  it('passes on at once without a delay', async () => {
    const { clock, line, stream, read } = late(() => 0)
    stream.write('up')
    line.push('down')
    await once(stream, 'data')
    expect([line.written, read, clock.waits]).toEqual([['up'], ['down'], []])
  })

  it('keeps the order when later bytes have a shorter delay', () => {
    const delay = [1_000, 10, 0]
    const { clock, line, stream } = late(() => delay.shift() ?? 0)
    for (const text of ['a', 'b', 'c']) stream.write(text)
    clock.wind(999)
    expect(line.written).toEqual([])
    clock.wind(1)
    expect(line.written).toEqual(['a', 'b', 'c'])
  })

  it('sends one write as one chunk', () => {
    const delay = [5, 99]
    const { clock, line, stream } = late(() => delay.shift() ?? 0)
    stream.cork()
    stream.write('head')
    stream.write('body')
    stream.uncork()
    clock.wind(5)
    expect(line.written).toEqual(['headbody'])
  })

  it('delivers earlier bytes before the end', async () => {
    const { clock, line, stream, read } = late(() => 100)
    line.push('last words')
    await once(line, 'data')
    line.destroy()
    await once(line, 'close')
    const closed = once(stream, 'close')
    clock.wind(100)
    await closed
    expect(read).toEqual(['last words'])
  })

  it('fails at once with its connection, and drops pending bytes', async () => {
    const { clock, line, stream, read } = late(() => 100)
    stream.write('up')
    line.push('down')
    await once(line, 'data')
    const closed = new Promise((resolve) => line.once('close', resolve))
    line.destroy(new Error('reset'))
    const [error] = await once(stream, 'error')
    await closed
    expect(error).toMatchObject({ message: 'reset' })
    expect(clock.waits).toEqual([])
    clock.wind(100)
    expect([line.written, read]).toEqual([[], []])
  })
})
