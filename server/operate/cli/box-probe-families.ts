/** Boxes of one maker's protocol, as makers' documents and operators' code describe them. */
export interface Family {
  name: string
  dialect: 'hemipay' | 'oneway' | 'alink' | null
  /** The topic that such a box subscribes to. */
  filter: RegExp
  /** A topic or one of `WORDS`, as such a box publishes it. */
  says?: RegExp
  /** In place of the filter, which may have a wildcard. */
  down?: string
  login?: object
  /** The maker's formula for the password. */
  hmac?: 'morefun' | 'alink'
  /** Fields of the profile. */
  own: object
  questions: readonly string[]
}

/** Words of payloads that tell a dialect. */
export const WORDS = [
  ...['"packet_type"', 'request_payment', '"getinfo"', 'playAudibleMsg', '"batt"', 'SpeechBroadcast'],
] as const

const NOT_SAID = /(?!)/

export const FAMILIES: readonly Family[] = [
  {
    ...{ name: 'hemipay', dialect: 'hemipay' },
    filter: /^\/LLZN\/(?<serial>[^/+#]+)$/,
    says: /^"packet_type"$|^[^/]+\/pubmsg$|^\/LLZN\//,
    own: { silentZero: false, played: [] },
    questions: [
      'played: the values of `play_status` or `response_status` that come at the end of the sound. Leave it empty when none does.',
      'screen: add {"qrHeight": 180, "labelHeight": 24, "color": "FF0000"} for a box with a screen.',
    ],
  },
  {
    ...{ name: 'alink', dialect: 'alink', hmac: 'alink' },
    filter: /^\/sys\/(?<productKey>[^/+#]+)\/(?<serial>[^/+#]+)\/thing\//,
    says: /^SpeechBroadcast$|^\/sys\/.*\/thing\//,
    down: '/sys/{productKey}/{serial}/thing/service/SpeechBroadcast',
    own: { format: 'wav', clip: '{clip}' },
    questions: ['format, clip: the names of the sound files in the box.'],
  },
  {
    ...{ name: 'morefun', dialect: 'oneway', hmac: 'morefun' },
    filter: /^\/ota\/(?<productKey>[^/+#]+)\/(?<serial>[^/+#]+)\//,
    says: /^\/ota\/device\/connection\//,
    own: {
      limits: { qr: 255, text: 255 },
      announce: [
        {
          json: {
            ...{ broadcast_type: 1, money: '{amount}', request_id: '{id}' },
            ...{ datetime: '{time}', ctime: '{unixSeconds}' },
          },
        },
      ],
    },
    questions: ['maxAmount: boxes of this protocol say amounts up to 9999999.'],
  },
  {
    ...{ name: 'openluat', dialect: 'oneway' },
    filter: /^\/sub\/topic\/money\/(?<serial>[^/+#]+)$/,
    login: { password: 'minted', maxBytes: 16 },
    own: { announce: [{ json: { money: '{amount}' } }] },
    questions: ['maxAmount: boxes of this protocol say amounts up to 99999999.'],
  },
  {
    ...{ name: 'clip-numbers', dialect: 'oneway' },
    filter: /^speakers\/(?<serial>[^/+#]+)\/cmd$/,
    says: /^("getinfo"|playAudibleMsg|"batt")$/,
    own: {
      pack: 'vi-en',
      announce: [{ json: { cmd: 'voice', playAudibleMsg: '{clips}' } }],
      ping: { everySeconds: 300, json: { cmd: 'getinfo' } },
    },
    questions: ['pack: which clip the box has under which number. "vi-en" is the pack that ships.'],
  },
]

/** A box that no family describes. */
export const OTHER: Family = {
  ...{ name: 'box', dialect: null, filter: NOT_SAID },
  own: { announce: null },
  questions: ['announce: the message of a payment, as [{"json": {"money": "{amount}"}}].'],
}
