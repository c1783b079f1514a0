import { dirname } from 'node:path'
import { TreeEntryError } from '../errors.ts'

/** Replace the temporary path in a system error by the target's directory: users do not know the temporary path. */
export function withTargetDirectory (err: unknown, target: string): unknown {
  return Object.assign(err as Error, { path: dirname(target) })
}

/** Replace the temporary path at the start of an error's path by the target. */
export function withTargetPath (err: unknown, temporary: string, target: string): unknown {
  if (err instanceof TreeEntryError) {
    const reason = err.message.slice(err.path.length + 2)

    return new TreeEntryError(err.path.replace(temporary, target), reason, { cause: err })
  }

  return err instanceof Error && 'path' in err && typeof err.path === 'string'
    ? Object.assign(err, { path: err.path.replace(temporary, target) })
    : err
}
