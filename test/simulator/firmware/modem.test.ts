import { expect, it } from 'vitest'
import { ModemBench, shown } from './modem-bench.ts'

const OPEN = 'AT+QIOPEN=1,0,"TCP","hub.example",1883,0,0'

it('says RDY after noise when it has booted, and understands nothing before AT', () => {
  const bench = new ModemBench()
  bench.modem.power(true)
  expect(bench.say('AT', 100)).toBe('')
  bench.wait(1_400)
  expect(shown(bench.output())).toBe('\xff\x00\xfe/RDY/')
  expect(bench.say('AT+CPIN?', 100)).toBe('AT+CPIN?\r')
  expect(bench.mistakes).toEqual(['sent AT+CPIN? before the first AT'])
  expect(bench.say('AT', 100)).toBe('AT\r/OK/')
  expect(bench.say('ATE0', 100)).toBe('ATE0\r/OK/')
  expect(bench.say('AT', 100)).toBe('/OK/')
})

it('boots in the middle of a line: the rest of it is no mistake of the host', () => {
  const bench = new ModemBench()
  bench.modem.power(true)
  bench.modem.receive(Buffer.from('A'))
  bench.wait(1_500)
  bench.modem.receive(Buffer.from('T\r'))
  expect(bench.say('AT', 100)).toContain('/OK/')
  bench.say('T', 100)
  expect(bench.mistakes).toEqual(['sent a line without AT: "T"'])
})

it('has a SIM card, a registration and the time only after a while', () => {
  const bench = new ModemBench()
  bench.modem.power(true)
  bench.wait(1_500)
  for (const line of ['AT', 'ATE0', 'AT+CEREG=1']) bench.say(line, 20)
  expect(bench.say('AT+CPIN?', 20)).toBe('/+CME ERROR: 14/')
  expect(bench.say('AT+CEREG?', 20)).toBe('/+CEREG: 1,2//OK/')
  expect(bench.say('AT+CSQ', 20)).toBe('/+CSQ: 99,99//OK/')
  expect(bench.say('AT+CCLK?', 20)).toBe('/+CCLK: "80/01/06,00:00:00+00"//OK/')
  expect(bench.say('AT+QIACT=1')).toBe('/ERROR/')
  bench.output()
  bench.wait(1_500)
  expect(shown(bench.output())).toBe('/+CPIN: READY//+QIND: SMS DONE//+CEREG: 1/')
  expect(bench.say('AT+CPIN?')).toBe('/+CPIN: READY//OK/')
  expect(bench.say('AT+CSQ')).toBe('/+CSQ: 21,99//OK/')
  expect(bench.say('AT+CCLK?')).toMatch(/^\/\+CCLK: "25\/11\/2\d,\d\d:\d\d:\d\d\+28"\/\/OK\/$/)
})

it('opens a connection, and tells the result later', () => {
  const bench = new ModemBench().started()
  expect(bench.say(OPEN)).toBe('/OK//+QIOPEN: 0,0/')
  expect(bench.hub.to).toEqual({ host: 'hub.example', port: 1883 })
})

it('sends exactly as many bytes as announced, whatever they are', () => {
  const bench = new ModemBench().connected()
  expect(bench.say('AT+QISEND=0,6')).toBe('/> ')
  expect(bench.sendRaw('\r\nAT\x1b\x1a')).toBe('/SEND OK/')
  expect(bench.hub.got.toString('latin1')).toBe('\r\nAT\x1b\x1a')
  expect(bench.say('AT+QISEND=0,0')).toBe('/+QISEND: 6,6,0//OK/')
  expect(bench.mistakes).toEqual([])
})

it('drops bytes that come before the answer', () => {
  const bench = new ModemBench().connected()
  expect(bench.sendRaw('AT+QISEND=0,2\r\nhi')).toBe('/> ')
  expect(bench.hub.got.toString()).toBe('')
  expect(bench.mistakes).not.toEqual([])
  expect(bench.sendRaw('hi')).toBe('/SEND OK/')
})

it('announces received bytes once until the buffer has been read empty', () => {
  const bench = new ModemBench().connected()
  bench.output()
  bench.hub.tell.received(Buffer.from('abc'))
  bench.hub.tell.received(Buffer.from('def'))
  expect(shown(bench.output())).toBe('/+QIURC: "recv",0/')
  expect(bench.say('AT+QIRD=0,4')).toBe('/+QIRD: 4/abcd//OK/')
  bench.hub.tell.received(Buffer.from('\r\n'))
  expect(shown(bench.output())).toBe('')
  expect(bench.say('AT+QIRD=0,0')).toBe('/+QIRD: 8,4,4//OK/')
  expect(bench.say('AT+QIRD=0,1500')).toBe('/+QIRD: 4/ef///OK/')
  expect(bench.say('AT+QIRD=0,1500')).toBe('/+QIRD: 0//OK/')
  bench.hub.tell.received(Buffer.from('g'))
  expect(shown(bench.output())).toBe('/+QIURC: "recv",0/')
})

it('tells what happens between a command and its answer, and not while it takes data', () => {
  const bench = new ModemBench().connected()
  bench.output()
  bench.modem.receive(Buffer.from('AT+CSQ\r'))
  bench.hub.tell.received(Buffer.from('a'))
  bench.wait(100)
  expect(shown(bench.output())).toBe('/+QIURC: "recv",0//+CSQ: 21,99//OK/')
  bench.say('AT+QIRD=0')
  bench.say('AT+QISEND=0,2')
  bench.hub.tell.received(Buffer.from('b'))
  expect(shown(bench.output())).toBe('')
  expect(bench.sendRaw('hi')).toBe('/SEND OK//+QIURC: "recv",0/')
})

it('keeps what it has received after the hub has closed, and the number until QICLOSE', () => {
  const bench = new ModemBench().connected()
  bench.output()
  bench.hub.tell.received(Buffer.from('last'))
  bench.hub.tell.closed()
  expect(shown(bench.output())).toBe('/+QIURC: "recv",0//+QIURC: "closed",0/')
  expect(bench.say('AT+QISEND=0,4')).toBe('/ERROR/')
  expect(bench.say(OPEN)).toBe('/OK//+QIOPEN: 0,563/')
  expect(bench.say('AT+QIRD=0,1500')).toBe('/+QIRD: 4/last//OK/')
  expect(bench.say('AT+QICLOSE=0')).toBe('/OK/')
  expect(bench.say(OPEN)).toBe('/OK//+QIOPEN: 0,0/')
})

it('tells nothing more of a connection that the host has closed', () => {
  const bench = new ModemBench().connected()
  expect(bench.say('AT+QICLOSE=0')).toBe('/OK/')
  expect(bench.hub.end).toBe('fin')
  bench.hub.tell.received(Buffer.from('late'))
  bench.hub.tell.closed()
  expect(shown(bench.output())).toBe('')
})

it.each([
  ['without CR', 'AT\nAT\n', ''],
  ['an unknown command', 'AT+FOO?\r', '/ERROR/'],
  ['a space', 'AT+QIRD=0, 100\r', '/ERROR/'],
  ['two commands in a line', 'AT+CSQ;+CSQ\r', '/ERROR/'],
  ['no AT', 'hello\r', ''],
  ['more than a segment', 'AT+QISEND=0,1461\r', '/ERROR/'],
  ['more than the buffer', 'AT+QIRD=0,1501\r', '/ERROR/'],
  ['a connection that is not open', 'AT+QISEND=1,4\r', '/ERROR/'],
  ['a connection that is not there', 'AT+QIRD=1,4\r', '/ERROR/'],
  ['an unknown number', 'AT+QIOPEN=1,12,"TCP","hub.example",1883,0,0\r', '/ERROR/'],
  ['another context', 'AT+QIOPEN=2,0,"TCP","hub.example",1883,0,0\r', '/ERROR/'],
  ['a host without quotes', 'AT+QIOPEN=1,1,"TCP",hub.example,1883,0,0\r', '/ERROR/'],
  ['another access mode', 'AT+QIOPEN=1,1,"TCP","hub.example",1883,0,1\r', '/ERROR/'],
  ['a context that is active', 'AT+QIACT=1\r', '/ERROR/'],
])('refuses %s', (_, bytes, answer) => {
  const bench = new ModemBench().connected()
  expect(bench.sendRaw(bytes)).toBe(answer)
})

it.each([
  ['a number in use', {}, [OPEN, OPEN], '/OK//+QIOPEN: 0,563/'],
  ['no context', {}, ['AT+QIDEACT=1', OPEN], '/ERROR/'],
  ['no DNS', { noDns: true }, [OPEN], '/OK//+QIOPEN: 0,565/'],
  ['no SIM card', { noSim: true }, ['AT+CPIN?'], '/+CME ERROR: 10/'],
  ['a registration that is denied', { registration: 3 as const }, ['AT+CEREG?'], '/+CEREG: 0,3//OK/'],
])('answers to %s', (_, faults, lines, answer) => {
  const bench = new ModemBench().started()
  bench.modem.set(faults)
  expect(lines.map((line) => bench.say(line)).at(-1)).toBe(answer)
})

it('tells when a connection is refused, and after 75 s that nobody answers', () => {
  const bench = new ModemBench().started()
  bench.opens = false
  bench.say(OPEN)
  bench.hub.tell.failed('connect')
  expect(shown(bench.output())).toBe('/+QIOPEN: 0,566/')
  bench.say('AT+QICLOSE=0')
  bench.say(OPEN)
  bench.output()
  bench.wait(75_000)
  expect(shown(bench.output())).toBe('/+QIOPEN: 0,566/')
  expect(bench.say('AT+QIGETERROR')).toBe('/+QIGETERROR: 566//OK/')
})

it('forgets all at a reset, and the hub is not told', () => {
  const bench = new ModemBench().connected()
  bench.modem.receive(Buffer.from('AT+QISEND=0,4\r'))
  bench.modem.reset()
  bench.output()
  bench.wait(1_500)
  expect(shown(bench.output())).toBe('\xff\x00\xfe/RDY/')
  expect(bench.hub.end).toBe('none')
  expect(bench.say('AT')).toBe('AT\r/OK/')
  expect(bench.say('AT+QIRD=0,4', 100)).toBe('AT+QIRD=0,4\r/ERROR/')
  bench.wait(60_000)
  expect(bench.hub.end).toBe('destroyed')
})

it('needs QIDEACT after the network has ended the context', () => {
  const bench = new ModemBench().connected()
  bench.output()
  bench.modem.dropContext()
  expect(shown(bench.output())).toBe('/+QIURC: "pdpdeact",1/')
  expect(bench.say('AT+QISEND=0,4')).toBe('/ERROR/')
  expect(bench.say('AT+QIACT=1')).toBe('/ERROR/')
  expect(bench.say('AT+QIACT?')).toBe('/OK/')
  expect(bench.say('AT+QIDEACT=1')).toBe('/OK/')
  expect(bench.say('AT+QIACT=1')).toBe('/OK/')
  expect(bench.say('AT+QIACT?')).toBe('/+QIACT: 1,1,1,"10.0.0.2"//OK/')
  expect(bench.say(OPEN)).toBe('/OK//+QIOPEN: 0,0/')
})

it('opens TLS with what QSSLCFG says, and only with a certificate to verify with', () => {
  const ca = Buffer.from('a certificate')
  const bench = new ModemBench({ files: new Map([['ca.pem', ca]]) }).started()
  const open = 'AT+QSSLOPEN=1,1,0,"hub.example",8883,0'
  expect(bench.say('AT+QSSLCFG="seclevel",1,1')).toBe('/OK/')
  expect(bench.say('AT+QSSLCFG="cacert",1,"UFS:other.pem"')).toBe('/OK/')
  expect(bench.say(open)).toBe('/ERROR/')
  for (const rest of ['"sslversion",1,4', '"cacert",1,"ca.pem"', '"sni",1,1', '"checkhost",1,1'])
    expect(bench.say(`AT+QSSLCFG=${rest}`)).toBe('/OK/')
  expect(bench.say('AT+QSSLCFG="seclevel",1,7')).toBe('/ERROR/')
  expect(bench.say(open)).toBe('/OK//+QSSLOPEN: 0,0/')
  expect(bench.hub.to).toEqual({ host: 'hub.example', port: 8883, tls: { ca, sni: true, checkHost: true } })
  expect(bench.say('AT+QSSLSEND=0,2')).toBe('/> ')
  expect(bench.sendRaw('hi')).toBe('/SEND OK/')
  bench.hub.tell.received(Buffer.from('yes'))
  bench.hub.tell.closed()
  expect(shown(bench.output())).toBe('/+QSSLURC: "recv",0//+QSSLURC: "closed",0/')
  expect(bench.say('AT+QSSLRECV=0,1500')).toBe('/+QSSLRECV: 3/yes//OK/')
  expect(bench.say('AT+QSSLCLOSE=0')).toBe('/OK/')
})
