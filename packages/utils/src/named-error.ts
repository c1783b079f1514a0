/** An error whose `name` is the static one of its class, which no minifier shortens. */
export abstract class NamedError extends Error {
  constructor (message?: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}
