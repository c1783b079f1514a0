import { NamedError } from '@ipfsz/utils/named-error'

/** Thrown by a call of a handle that was closed, before or during the call. */
export class RepoClosedError extends NamedError {
  static override readonly name = 'RepoClosedError'
  /** The directory of the repo. */
  readonly repo: string

  constructor (repo: string) {
    super(`The handle of the repo ${repo} was closed`)
    this.repo = repo
  }
}
