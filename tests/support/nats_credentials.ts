import { nkeys } from "@nats-io/transport-node";

/** Configuration of a server that trusts one operator, and the credentials of two users. */
export interface NatsCredentials {
  /** Configuration of the server. */
  readonly config: string;
  /** Credentials file for a user in the server's only account. */
  readonly creds: string;
  /** Credentials file for a user whose account the server does not know. */
  readonly foreign: string;
}

type KeyPair = ReturnType<typeof nkeys.createUser>;

/**
 * Creates an operator, an account and users in the same way as the tool `nsc`. The tokens follow
 * the documentation of the NATS server.
 */
export function createNatsCredentials(): NatsCredentials {
  const operator = nkeys.createOperator();
  const [account, unknown] = [nkeys.createAccount(), nkeys.createAccount()];
  const operatorToken = token(operator, operator, { type: "operator", version: 2 });
  const limits = { subs: -1, data: -1, payload: -1, conn: -1, imports: -1, exports: -1, leaf: -1 };
  const accountToken = token(operator, account, {
    type: "account",
    version: 2,
    limits: { ...limits, wildcards: true },
  });
  const config = `operator: ${operatorToken}
resolver: MEMORY
resolver_preload: {${account.getPublicKey()}: ${accountToken}}
`;
  return { config, creds: userFile(account), foreign: userFile(unknown) };
}

function userFile(account: KeyPair): string {
  const user = nkeys.createUser();
  const limits = { subs: -1, data: -1, payload: -1 };
  const jwt = token(account, user, { type: "user", version: 2, ...limits, pub: {}, sub: {} });
  return `-----BEGIN NATS USER JWT-----
${jwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${new TextDecoder().decode(user.getSeed())}
------END USER NKEY SEED------
`;
}

/** Returns a JWT with the claims `nats` about `subject`, signed by `issuer`. */
function token(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const encode = (bytes: Uint8Array) =>
    bytes.toBase64({ alphabet: "base64url", omitPadding: true });
  const json = (value: object) => encode(new TextEncoder().encode(JSON.stringify(value)));
  const claims = {
    jti: crypto.randomUUID(),
    iat: 1_700_000_000,
    iss: issuer.getPublicKey(),
    name: "test",
    sub: subject.getPublicKey(),
    nats,
  };
  const content = `${json({ typ: "JWT", alg: "ed25519-nkey" })}.${json(claims)}`;
  return `${content}.${encode(issuer.sign(new TextEncoder().encode(content)))}`;
}
