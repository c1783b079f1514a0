/** The names of errors that wrong arguments caused: the same arguments fail again. */
const USAGE_ERRORS: ReadonlySet<string> = new Set([
  'UsageError',
  'ConfigError',
  'UnknownCodecError',
  'InvalidLevelError',
  'InvalidFrameSizeError',
  'NotMarkableError',
  'InvalidGatewayUrlError',
  'S3UrlError'
])

/** Whether wrong arguments caused an error. */
export function isUsageError ({ name }: Error): boolean {
  return USAGE_ERRORS.has(name)
}
