import type { HeldDirectory } from './held-directory.ts'

/** Replace the path of a held directory, at the start of a system error's path, by the path that the user knows. */
export function withShownPath (err: unknown, { path, shown }: Pick<HeldDirectory, 'path' | 'shown'>): unknown {
  return err instanceof Error && 'path' in err && typeof err.path === 'string' && err.path.startsWith(`${path}/`)
    ? Object.assign(err, { path: `${shown}${err.path.slice(path.length)}` })
    : err
}

/** Replace the path of a system error: users do not know the temporary one. */
export function withPath (err: unknown, shown: string): unknown {
  return Object.assign(err as Error, { path: shown })
}
