/** The errors of a payload. */
export type PayloadErrorKind =
  /** The payload exceeds the maximum length. */
  | 'too_long'
  /** A control character, or an unpaired surrogate. */
  | 'bad_character'
  /** The text ends inside a field. */
  | 'truncated'
  /** A field's id is not two digits. */
  | 'bad_id'
  /** A field's length is not two digits from 01 to 99. */
  | 'bad_length'
  /** An id occurs twice at one level. */
  | 'duplicate'
  /** A required field is missing. */
  | 'missing'
  /** 00 is not the first field, or 63 not the last. */
  | 'misplaced'
  /** The CRC does not match the payload. */
  | 'bad_crc'
  /** A field's value violates its definition. */
  | 'bad_value'

/** The errors of a builder's argument. */
export type ArgumentErrorKind =
  | 'bad_bin'
  | 'bad_account'
  | 'bad_service'
  | 'bad_amount'
  | 'bad_bill'
  | 'bad_purpose'

export interface QrError {
  kind: PayloadErrorKind | ArgumentErrorKind
  /**
   * UTF-16 index into the payload of the bad character, length or value, or of the field. For a missing field, the
   * index where it belongs. 0 for an argument.
   */
  offset: number
  /** For people. It contains nothing of the payload except ids. */
  message: string
}

export type QrResult<T> = { ok: true; value: T } | { ok: false; error: QrError }

export function success<T>(value: T): { ok: true; value: T } {
  return { ok: true, value }
}

export function failure(
  kind: QrError['kind'],
  offset: number,
  message: string,
): { ok: false; error: QrError } {
  return { ok: false, error: { kind, offset, message } }
}
