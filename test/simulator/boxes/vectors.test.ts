import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { announcementClips, clipIds, clipsToText } from '../../../protocol/money/sentence.ts'
import {
  amountSaid,
  codeSaid,
  moneyText,
  parseMoney,
  receivedText,
} from '../../../simulator/boxes/core/money.ts'
import { isForbidden } from '../../../simulator/boxes/core/pack.ts'
import type { BoxConfig } from '../../../simulator/boxes/core/state.ts'
import { type BoxKind, FIRMWARE } from '../../../simulator/boxes/kinds.ts'
import { DEFAULT_PACKS } from '../../../simulator/boxes/oneway/packs.ts'
import { BoxBench, configOf, START_MS } from './bench.ts'

const QR = '00020101021238570010A000000727'

/** Bytes as makers and operators have published them, and what a shop hears or sees of them. */
const DOWN: {
  kind: BoxKind
  about: string
  payload: string
  heard?: string
  amount?: string
  shows?: object
  ignored?: string
}[] = [
  {
    kind: 'hemipay',
    about: 'payment of the Nepal relay',
    payload:
      '{"message_id":"5392000001","time_stamp":"1777777777","device_sn":"BOX-0001","packet_type":"payment","content":{"play_payment_amount":160.00}}',
    heard: 'Đã nhận một trăm sáu mươi đồng',
    amount: '160',
  },
  {
    kind: 'hemipay',
    about: 'wait_payment of the Nepal relay',
    payload: `{"message_id":"5392000002","time_stamp":"1777777777","device_sn":"BOX-0001","packet_type":"wait_payment","content":{"amount_due":160,"order_id":"1777777777000","payment_timeout":60,"screen_content_config":{"wait_payment_screen_qrcode_1_config":{"txt":"${QR}","x":1,"y":1,"hei":180},"wait_payment_screen_label_3_config":{"txt":"160 NPR","x":1,"hei":24,"col":"FF0000"}}}}`,
    shows: { event: 'qr', qr: QR, amount: '160', bill: '1777777777000', exp: START_MS / 1000 + 60 },
  },
  {
    kind: 'hemipay',
    about: 'set_device_info of the Nepal relay',
    payload: `{"message_id":"5392000003","time_stamp":"1777777777","device_sn":"BOX-0001","packet_type":"set_device_info","content":{"screen_content_config":{"main_screen_label_1_config":{"txt":"Scan to Pay","hei":24},"main_screen_qrcode_1_config":{"txt":"${QR}","hei":180,"col":"000000"},"main_screen_label_3_config":{"txt":"Pho Ba Hanh","hei":24}}}}`,
    shows: { event: 'home', lines: ['Scan to Pay', 'Pho Ba Hanh'], qr: QR },
  },
  {
    kind: 'clip-numbers',
    about: 'a voice command of Colombia, with clips that were not flashed here',
    payload: '{"cmd":"voice","playAudibleMsg":"070-005-060-064","amount":"5000"}',
    heard: '(no clip 070) (no clip 005) (no clip 060) (no clip 064)',
  },
  {
    kind: 'clip-numbers',
    about: 'the form of China, with a system sound',
    payload: '{"playAudibleMsg":"119-105-038-120","orderId":"20261120123"}',
    heard: 'đã nhận năm (system sound 038) đồng',
  },
  {
    kind: 'clip-numbers',
    about: 'our clips',
    payload: '{"cmd":"voice","playAudibleMsg":"119-105-111-116-120","amount":"50000"}',
    heard: 'Đã nhận năm mươi nghìn đồng',
    amount: '50000',
  },
  {
    kind: 'morefun',
    about: 'the order of the Z30 source',
    payload:
      '{"money":"1.23","request_id":"2022081910050555","order_sn":"2022081910050102","datetime":"20220819143957","ctime":1660891197}',
    shows: { event: 'qr', qr: '2022081910050102', bill: '' },
  },
  {
    kind: 'morefun',
    about: 'the payment of QuecPython, whose type the Z30 does not know',
    payload:
      '{"broadcast_type":2,"money":"0.01","biz_type":2,"request_id":"99711180000202012162212481044206"}',
    ignored: 'broadcast_type 2',
  },
  {
    kind: 'morefun',
    about: 'clips, with the type as text',
    payload: '{"broadcast_type":"1","money":"9999999","request_id":"1"}',
    heard: 'Đã nhận chín triệu chín trăm chín mươi chín nghìn chín trăm chín mươi chín đồng',
    amount: '9999999',
  },
  {
    kind: 'morefun',
    about: 'more than seven digits',
    payload: '{"broadcast_type":1,"money":"10000000","request_id":"1"}',
    heard: 'Thành công',
  },
  {
    kind: 'morefun',
    about: 'a synthetic voice',
    payload: '{"broadcast_type":10,"money":"10000000","ttstext":"Đã nhận mười triệu đồng"}',
    heard: 'Đã nhận mười triệu đồng',
    amount: '10000000',
  },
  {
    kind: 'openluat',
    about: 'the sample of the demo',
    payload: '{"money":"12345678.9"}',
    heard: 'Đã nhận mười hai triệu ba trăm bốn mươi lăm nghìn sáu trăm bảy mươi tám phẩy chín đồng',
  },
  { kind: 'openluat', about: 'nine digits', payload: '{"money":"123456789"}', heard: 'Đã nhận' },
  { kind: 'openluat', about: 'a number', payload: '{"money":50000}', ignored: 'money is no text' },
  {
    kind: 'ds50',
    about: 'the form of the demo source, with the type of a voice',
    payload: '{ "message": "hello","amount":"1234400","transType":"99","orderId":"12394555425" }',
    heard: 'Đã nhận mười hai nghìn ba trăm bốn mươi bốn đồng',
    amount: '12344',
  },
  {
    kind: 'ds50',
    about: 'a card payment',
    payload: '{ "message": "hello","amount":"12344","transType":"00","orderId":"12394555425" }',
    ignored: 'transType 00',
  },
  {
    kind: 'alink',
    about: 'clips of sb/1',
    payload:
      '{"method":"thing.service.SpeechBroadcast","id":"1","params":{"speechs":["da-nhan","5","muoi","nghin","dong"],"format":"wav","id":"S1"},"version":"1.0.0"}',
    heard: 'Đã nhận năm mươi nghìn đồng',
    amount: '50000',
  },
  {
    kind: 'alink',
    about: 'an amount that the firmware says',
    payload:
      '{"method":"thing.service.SpeechBroadcast","id":"1","params":{"speechs":["{$1000}"],"format":"mp3","id":"S2"},"version":"1.0.0"}',
    heard: 'Đã nhận một nghìn đồng',
    amount: '1000',
  },
]

describe('what a box makes of the published bytes', () => {
  it.each(DOWN)('$kind: $about', ({ kind, payload, heard, amount, shows, ignored }) => {
    const bench = new BoxBench(kind).online()
    expect(bench.hear(payload)).toBe(true)
    expect(bench.heard).toEqual(heard === undefined ? [] : [heard])
    if (heard !== undefined) expect(bench.linesOf('announce')[0]?.amount).toBe(amount)
    if (shows) expect(bench.lines).toContainEqual(shows)
    expect(bench.linesOf('ignored').map(({ reason }) => reason)).toEqual(
      ignored === undefined ? [] : [ignored],
    )
  })

  it.each(Object.keys(FIRMWARE).filter((kind): kind is BoxKind => kind in FIRMWARE))(
    '%s survives what is no message of its protocol',
    (kind) => {
      for (const payload of ['', '{', '[]', 'null', '"x"', '{}', '{"content":7}', '{"params":[]}']) {
        const bench = new BoxBench(kind).online()
        bench.hear(payload)
        expect(bench.heard).toEqual([])
      }
    },
  )
})

const LOGINS: { kind: BoxKind; config?: Partial<BoxConfig>; login: object; topic: string }[] = [
  {
    kind: 'hemipay',
    config: { password: 'p' },
    login: { clientId: 'BOX-0001', username: 'BOX-0001', password: 'p', clean: true },
    topic: '/LLZN/BOX-0001',
  },
  { kind: 'clip-numbers', login: { username: 'BOX-0001', password: '' }, topic: 'speakers/BOX-0001/cmd' },
  {
    kind: 'morefun',
    // Serial, key and secret of the comments in the Z30 source; the digest was computed with OpenSSL.
    config: { serial: '202210310000001', productKey: 'pX1s883V8ytT35Kx', secret: 's8XRrGiOfhNV4LlE' },
    login: {
      clientId: '202210310000001',
      username: '202210310000001',
      password: '4E7C799E8F561868FB79FA159888CB5EE284F8672851A24BC5E07A72834CB4BE',
      clean: false,
      keepaliveS: 300,
      will: { topic: '/ota/device/connection/202210310000001/state ', payload: '0', qos: 0, retain: true },
    },
    topic: '/ota/pX1s883V8ytT35Kx/202210310000001/update',
  },
  { kind: 'openluat', login: { clean: true, keepaliveS: 240 }, topic: '/sub/topic/money/BOX-0001' },
  { kind: 'ds50', login: { username: 'BOX-0001', password: 'BOX-0001' }, topic: 'soundbox/BOX-0001' },
  {
    kind: 'alink',
    login: {
      clientId: 'pk.BOX-0001|timestamp=2524608000000,securemode=3,signmethod=hmacsha256|',
      username: 'BOX-0001&pk',
      password: 'CD491D1FC1026D02C3CD15FF1366DAB798B56C73FD220E7E4144759115B81FB7',
    },
    topic: '/sys/pk/BOX-0001/thing/service/SpeechBroadcast',
  },
]

describe('the login and the topic', () => {
  it.each(LOGINS)('$kind', ({ kind, config, login, topic }) => {
    expect(FIRMWARE[kind].login(configOf(config))).toMatchObject(login)
    expect(FIRMWARE[kind].topic(configOf(config))).toBe(topic)
    expect(FIRMWARE[kind].topic(configOf({ topic: 'own/topic' }))).toBe('own/topic')
  })

  it('morefun reports itself without the blank of its will', () => {
    const bench = new BoxBench('morefun')
    bench.act({ type: 'connected' })
    expect(bench.effects[0]).toEqual({
      ...{ type: 'publish', topic: '/ota/device/connection/BOX-0001/state', payload: '1', qos: 0 },
    })
  })
})

describe('the packs', () => {
  it('have every clip, from 100 upwards in the order of the tables, and no system sound', () => {
    const ids = DEFAULT_PACKS.flatMap((pack) => clipIds(pack.lang).map((id) => pack.clips[id]))
    expect(ids).toEqual(Array.from({ length: 55 }, (_, index) => String(100 + index)))
    for (const pack of DEFAULT_PACKS)
      expect(Object.values(pack.clips).filter((id) => isForbidden(pack, id))).toEqual([])
  })

  it.each(['037', '042', '188', '238', '254'])('forbid %s', (id) => {
    for (const pack of DEFAULT_PACKS) expect(isForbidden(pack, id)).toBe(true)
  })
})

describe('amounts', () => {
  /** Every power of ten with its neighbours, and a number for each place. */
  const amounts = Array.from({ length: 13 }, (_, zeros) => 10 ** zeros)
    .flatMap((power) => [power - 1, power, power + 1, power * 5, power * 1.5, power * 21])
    .filter((amount) => Number.isInteger(amount) && amount > 0 && amount < 10 ** 13)

  it.each(LANGUAGES)('are read back from the clips (%s)', (lang) => {
    for (const amount of amounts.map(String)) {
      const clips = announcementClips(lang, amount).split(' ')
      expect(amountSaid(lang, clips)).toBe(amount)
      expect(amountSaid(lang, [...clips, 'dong'])).toBeUndefined()
      expect(amountSaid(lang, clips.slice(1))).toBeUndefined()
      expect(moneyText(lang, { whole: amount, fraction: '' })).toBe(clipsToText(lang, clips.join(' ')))
    }
  })

  it.each([
    { text: '50000', money: { whole: '50000', fraction: '' } },
    { text: '050000.00', money: { whole: '50000', fraction: '' } },
    { text: '0.5', money: { whole: '0', fraction: '5' } },
    { text: '99999999999999', money: undefined },
    { text: '-1', money: undefined },
    { text: '1e3', money: undefined },
    { text: '', money: undefined },
  ])('$text', ({ text, money }) => {
    expect(parseMoney(text)).toEqual(money)
  })

  it('a zero is said, too', () => {
    expect(moneyText('vi', { whole: '0', fraction: '05' })).toBe('Đã nhận không phẩy không năm đồng')
    expect(moneyText('en', { whole: '0', fraction: '' })).toBe('Received zero dong')
    expect([receivedText('vi'), receivedText('en')]).toEqual(['Đã nhận', 'Received'])
  })

  it('six digits are a code, once or twice', () => {
    const code = [...'048213']
    expect(codeSaid(code)).toBe('048213')
    expect(codeSaid([...code, ...code])).toBe('048213')
    expect(codeSaid([...code, ...'048214'])).toBeUndefined()
    expect(codeSaid([...'04821'])).toBeUndefined()
  })
})
