import { useEffect, useReducer } from 'react'

/** Twice a second, so that a countdown never skips a second. */
const REFRESH_MS = 500

/** Rerenders twice a second. Returns a function that rerenders at once. */
export function useRefresh(): () => void {
  const [, refresh] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(refresh, REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return refresh
}
