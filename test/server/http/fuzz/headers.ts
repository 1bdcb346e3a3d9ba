import fc from 'fast-check'

/** What a header can hold at all. */
export const headerText = fc.stringMatching(/^[\x21-\x7e\x80-\xff]{0,40}$/)
/** Headers that should change nothing, or be refused. */
export const headers = fc.record(
  {
    'x-client-id': fc.oneof(headerText, fc.constant('sbc_unknown')),
    'X-Request-Id': fc.oneof(headerText, fc.constantFrom('ok-1', 'x'.repeat(129))),
    'Content-Length': fc.constantFrom('0', '5', '99999', 'x', '-1'),
    Accept: fc.constantFrom('text/html', '*/*', ''),
    'Accept-Encoding': fc.constantFrom('gzip', 'br;q=1.0', 'identity;q=0'),
    'X-HTTP-Method-Override': fc.constantFrom('DELETE', 'PUT'),
    'X-Forwarded-For': headerText,
    'Content-Encoding': fc.constantFrom('gzip', 'identity'),
    Expect: fc.constant('100-continue'),
    'If-None-Match': fc.constant('*'),
  },
  { requiredKeys: [] },
)
/** Idempotency-Keys: few, so that they meet again. */
export const keys = fc.oneof(fc.constantFrom('key-1', 'key-2', 'key-3'), headerText)

/** What a body calls itself, when not application/json. */
export const types = fc.constantFrom(
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    '',
    'APPLICATION/JSON',
  ],
  ...['application/json;charset=utf-8', 'application/problem+json', 'multipart/form-data; boundary=x'],
)
