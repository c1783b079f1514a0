import { networkAccess, withReading } from '../context.ts'
import { parseContentPath } from '../terminal/cid-path.ts'
import type { Context, Reading, ReadingOptions } from '../context.ts'
import type { CidPath } from '../terminal/cid-path.ts'

export interface TargetOptions {
  /** What will be read below the root: gateways then send it with one request. */
  scope: NonNullable<ReadingOptions['plan']>['scope']
}

/**
 * Read what a CID or a name leads to, as `withReading` does.
 *
 * @param text - a CID or a name, and a path below it
 * @throws {UsageError} the text begins neither with a CID nor with a name
 * @throws {NameError} the name cannot be resolved
 */
export async function withTarget<T> (
  text: string,
  context: Context,
  { scope }: TargetOptions,
  work: (target: CidPath, reading: Reading) => Promise<T>
): Promise<T> {
  const parsed = parseContentPath(text)
  const read = async (target: CidPath, options?: ReadingOptions): Promise<T> =>
    withReading(
      context,
      target.cid,
      async reading => work(target, reading),
      { ...options, plan: { path: target.path, scope } }
    )

  if (!('name' in parsed)) {
    return read(parsed)
  }

  const access = networkAccess(context)

  try {
    const { resolveTarget } = await import('./resolve-target.ts')

    return await read(await resolveTarget(parsed, context, access), { access })
  } finally {
    await access.close()
  }
}
