// The code by which a tab is lent: made up here, shown to the person, and proven by both sides without being told.

import { PATH } from "../shared/generated.js";

/** What the person is shown: where handeye listens, and what both sides know. */
export interface PairingCode {
  port: number;
  key: string;
}

/** What both sides made up for a meeting. */
export interface Nonces {
  handeye: string;
  extension: string;
}

/** No letter looks like a digit; 16 of them are 80 bits. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Below the ports that systems give to outgoing connections, and above those that browsers refuse. */
const [PORTS_FROM, PORTS] = [20_000, 12_000];

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
export const makeNonce = (): string => hex(crypto.getRandomValues(new Uint8Array(16)));

export function makeCode(): PairingCode {
  const key = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => LETTERS[byte % LETTERS.length]).join("");
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return { port: PORTS_FROM + (number % PORTS), key };
}

/** As it is written. */
export const shownCode = ({ port, key }: PairingCode): string => [port, ...(key.match(/.{4}/g) ?? [])].join("-");

export const addressOf = ({ port }: PairingCode): string => `ws://127.0.0.1:${port}${PATH}`;

const textBytes = (text: string): ArrayBuffer => new TextEncoder().encode(text).buffer as ArrayBuffer;

/** A side's proof that it knows the code. */
export async function proofOf(code: PairingCode, side: "handeye" | "extension", nonces: Nonces): Promise<string> {
  const key = await crypto.subtle.importKey("raw", textBytes(code.key), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, textBytes(`${side} ${nonces.handeye} ${nonces.extension}`));
  return hex(new Uint8Array(signed));
}
