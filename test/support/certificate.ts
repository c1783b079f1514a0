/**
 * A certificate for tests on loopback, valid for a hundred years:
 * openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 36500 -subj /CN=localhost
 */
export const TLS = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg6dr4TlWfDUe/shuu
IxmUEqqb4gi0iM1WyV/mlJ+uI+ihRANCAARvP0V+43yUXsaxtRMM3Jhz8PgHQt3i
6KeTcWB0mMzzn8k6TSh6SYjTB+O+Mg76uF0r51I/wH0+Sivqa4Ktz70/
-----END PRIVATE KEY-----
`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIUZwue55LLh3pwBe293xr7AkSp0CMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjEyMzI0MloYDzIxMjYxMDI5
MTIzMjQyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARvP0V+43yUXsaxtRMM3Jhz8PgHQt3i6KeTcWB0mMzzn8k6TSh6SYjT
B+O+Mg76uF0r51I/wH0+Sivqa4Ktz70/o1MwUTAdBgNVHQ4EFgQUSFrTXqyzDX0j
e5zY35Mom+0X1oAwHwYDVR0jBBgwFoAUSFrTXqyzDX0je5zY35Mom+0X1oAwDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAiHddz0oBQcVsfvZxbdmUX
81zZ10CyfwTRWRx3UXmWIgIhAOz9TRuBp6FJ7i6pqmlV4ehWZ9m3yY2ewduVbYxD
zK9K
-----END CERTIFICATE-----
`
}
