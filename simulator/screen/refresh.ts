import { useEffect, useReducer } from 'react'

/** Twice a second, so that a countdown never skips a second. */
const REFRESH_MS = 500

/** Rerenders at an interval. Returns a function that rerenders at once. */
export function useRefresh(everyMs = REFRESH_MS): () => void {
  const [, refresh] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(refresh, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return refresh
}
