/** Every key of the open log, in the order of its footer and its help. */
export const LOG_KEYS = [
  { key: '↑↓', label: 'move', help: 'one line; also PgUp, PgDn and Home; End follows the newest line' },
  { key: '/', label: 'search', help: 'mark and find a text, in any case, with or without accents' },
  { key: 'n', label: 'next', help: 'the next older line with the text; N the next newer one' },
  { key: '&', label: 'only', help: 'show only lines with a text' },
  { key: 'v', label: 'kinds', help: 'packets and events, only packets, only events' },
  { key: 't', label: 'telemetry', help: 'every line of telemetry, or neighbouring ones as one' },
  { key: 'c', label: 'copy', help: 'copy the marked line to the clipboard' },
  { key: 'C', label: 'copy all', help: 'copy all lines that kinds and text leave' },
  { key: '↵', label: 'frame', help: 'the raw frame of the packet; telemetry line by line' },
] as const

/** In the footer only after a search. */
export const SEARCH_KEY = 'n'
