/** Seconds as `m:ss`, from an hour on as `h:mm:ss`. */
export function clockText(seconds: number): string {
  const whole = Math.floor(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  const rest = String(whole % 60).padStart(2, '0')
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}

/** The local time of day; `short` omits the hours. */
export function timeOfDay(atMs: number, short = false): string {
  const at = new Date(atMs)
  return [...(short ? [] : [at.getHours()]), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
