// Room: what to do about each error.
/*
 * What the command advises for each error: its own message says only what happened. `scripts/troubleshooting.ts` writes
 * docs/troubleshooting.md from these tables: the comment before an advice begins with a message (`# ...`, in which
 * capitals stand for values) and explains it.
 */
import { CIDS } from './cids.ts'
import { DAMAGE } from './damage.ts'
import { DISK } from './disk.ts'
import { FETCHING } from './fetching.ts'
import { LINKS } from './links.ts'
import { PROGRAMS } from './programs.ts'
import { REPO } from './repo.ts'
import { S3 } from './s3.ts'
import { SERVERS } from './servers.ts'
import { STORES } from './stores.ts'
import type { Advice, Fields } from './table.ts'

/** Fields that tell errors of one name apart, and the hint of an error itself. */
interface Kind {
  problem?: string
  reason?: string
  limit?: string
  hint?: string
}

export const ADVICE: Advice = {
  ...FETCHING, ...DAMAGE, ...DISK, ...CIDS, ...LINKS, ...REPO, ...STORES, ...SERVERS, ...S3, ...PROGRAMS
}

/** The options that errors are about. */
const OPTIONS: Readonly<Record<string, string>> = {
  'UsageError no-host-name': '--host: ',
  'UsageError no-proxy': '--trust-proxy: '
}

/**
 * The message of an error, with what the command advises, or else with the hint of the error. Undefined if there is
 * neither.
 */
export function adviceFor (err: Error, message: string): string | undefined {
  const { problem, reason, limit, hint } = err as Error & Kind
  const field = [problem, reason, limit].find(value => typeof value === 'string')
  const key = `${err.name} ${field ?? ''}`
  const text = `${OPTIONS[key] ?? ''}${message}`
  const found = ADVICE[key] ?? ADVICE[err.name]
  const advice = typeof found === 'function' ? found(err as Fields) : found

  if (advice != null) {
    return `${text}${advice}`
  }

  if (typeof hint === 'string') {
    return `${text}: ${hint}`
  }

  return key in OPTIONS ? text : undefined
}
