/** What the fields of the API take and refuse (the contract's "Fields"), for every operation that has them. */

interface Values {
  good: unknown[]
  bad: unknown[]
}

const printable = (max: number): Values => ({
  good: ['x', ' x ', 'Mã số 🍜', '🍜'.repeat(max), 'e\u0301', '"\\/', '\ufeff', '\u200b'],
  bad: [
    ...['', '🍜'.repeat(max + 1), 'a\u0000b', 'a\tb', 'a\nb', 'a\u007f', 'a\u0085', '\u2028', '\u2029'],
    ...['\ud800', 'a\udc00b', '\udc00\ud800'],
  ],
})

const name: Values = {
  good: ['x', '  x  ', 'Quán Cà Phê 🍜', 'x'.repeat(128), ` ${'🍜'.repeat(128)} `, '\u00a0x\u3000'],
  bad: ['', '   ', '\u00a0', 'x'.repeat(129), '🍜'.repeat(129), 'a\u0001b', 'a\nb', 'x\n', '\tx', '\ud83c'],
}

const credential: Values = {
  good: ['x', 'x'.repeat(512), '🍜'.repeat(512)],
  bad: ['', 'x'.repeat(513), '🍜'.repeat(513)],
}

export const VALUES = {
  deviceSerial: {
    good: ['ABCD', 'a_-9', 'x'.repeat(32), '__proto__', '----'],
    bad: [
      '',
      'abc',
      'x'.repeat(33),
      'SB 01',
      'SB+01',
      'SB/01',
      'SB#01',
      'Sérial',
      'ABCD\n',
      ' ABCD',
      'ＡＢＣＤ',
    ],
  },
  phoneNumber: {
    good: [
      ...[
        '0312345678',
        '0512345678',
        '0712345678',
        '0812345678',
        '0912345678',
        '+84912345678',
        '84912345678',
      ],
      ...['02838221234', '+842838221234', '091.234-56 78', ' 0912345678 ', '+ 84 912345678', '8-4912345678'],
    ],
    bad: [
      ...[
        '',
        '0112345678',
        '091234567',
        '09123456789',
        '0283822123',
        '+85912345678',
        '+0912345678',
        '912345678',
      ],
      ...[
        '0912345678x',
        '٠٩١٢٣٤٥٦٧٨',
        '0912\t345678',
        '0912\u00a0345678',
        '++84912345678',
        '+840912345678',
        '.',
      ],
    ],
  },
  identityNumber: {
    good: ['079123', 'B1234-5678', 'x'.repeat(20)],
    bad: ['', '12345', 'x'.repeat(21), '079 123', 'số1234', '079123\n'],
  },
  bankCode: { good: ['MB', '970422', 'x'.repeat(20)], bad: ['', 'M', 'x'.repeat(21), 'M B', 'M-B', 'MB\n'] },
  bankAccountNumber: {
    good: ['1234', 'x'.repeat(34)],
    bad: ['', '123', 'x'.repeat(35), '12 34', '12-34', '１２３４'],
  },
  terminalID: printable(64),
  rmCode: printable(64),
  billNumber: printable(64),
  ftCode: printable(64),
  traceTransfer: printable(64),
  storeId: printable(64),
  storeName: name,
  ownerName: name,
  bankName: name,
  bankAccountName: name,
  terminalName: name,
  staticQRCode: printable(1024),
  qrcode: printable(1024),
  verificationCode: {
    good: ['000000', '048213'],
    bad: ['', '12345', '1234567', '12345a', ' 123456', '123456\n', '١٢٣٤٥٦'],
  },
  transactionAmount: {
    good: ['1', '50000', '9999999999999'],
    bad: [
      ...['', '0', '00', '01', '-1', '+1', '1.5', '1,000', '1.000', ' 1', '1 ', '1\n', '1e3', '0x1'],
      ...['10000000000000', '١', '１', 'NaN'],
    ],
  },
  notice: {
    good: ['x', 'x'.repeat(512), '🍜'.repeat(512), 'a\tb\nc', '   ', '* ~ ! & = + %'],
    bad: ['x'.repeat(513), '🍜'.repeat(513), 'a\u0000', 'a\rb', 'a\u000bb', '\u0085', '\u2028', '\udfff'],
  },
  // The forms of a date are those of test/server/platform/time/iso-8601.test.ts.
  payDate: {
    good: ['2026-11-20', '2026-11-20T10:15:30+07:00', '0001-01-01T00:00:00Z', '2026-11-21T03:00:00.000Z'],
    // The last three: more than a day ahead, and before the year 0.
    bad: [
      ...['', '2026-02-30', '2026-11-20 10:15:30', '2026-11-20\n', 'now'],
      ...['2026-11-21T04:00:00Z', '9999-12-31', '0000-01-01T00:00:00+14:00'],
    ],
  },
  clientId: credential,
  clientSecret: credential,
  refreshToken: credential,
  checkSum: credential,
} satisfies Record<string, Values>

export type FieldName = keyof typeof VALUES

/** How an operation has a field. */
export type Need =
  | 'required'
  /** It may be left out, and not be null. */
  | 'optional'
  /** Absent, null and empty are the same. */
  | 'or empty'

const NOT_TEXT = [5, 50_000, true, false, {}, ['x'], []]

/** Each with a value that is taken. `undefined`: it is left out. */
export function goodRows(uses: Readonly<Partial<Record<FieldName, Need>>>): [FieldName, unknown][] {
  return rows(uses, (field, need) => [
    ...VALUES[field].good,
    ...(need === 'optional' ? [undefined] : []),
    ...(need === 'or empty' ? [undefined, null, ''] : []),
  ])
}

/** Each with a value that is refused. */
export function badRows(uses: Readonly<Partial<Record<FieldName, Need>>>): [FieldName, unknown][] {
  return rows(uses, (field, need) => [
    ...VALUES[field].bad.filter((value) => need !== 'or empty' || value !== ''),
    ...NOT_TEXT,
    ...(need === 'or empty' ? [] : [null]),
    ...(need === 'required' ? [undefined] : []),
  ])
}

function rows(
  uses: Readonly<Partial<Record<FieldName, Need>>>,
  valuesOf: (field: FieldName, need: Need) => unknown[],
): [FieldName, unknown][] {
  // The type of `uses` allows no other names.
  const named = Object.entries(uses) as [FieldName, Need][]
  return named.flatMap(([field, need]) =>
    valuesOf(field, need).map((value): [FieldName, unknown] => [field, value]),
  )
}
