// The token of this tab. Kept in sessionStorage only: it goes with the tab, and no other sees it.
const kKey = "berth.token";

export function readToken(): string {
  try {
    return window.sessionStorage.getItem(kKey) ?? "";
  } catch {
    return ""; // storage is forbidden: the token is asked for again after a reload
  }
}

let current = readToken();

export function token(): string {
  return current;
}

export function setToken(value: string): void {
  current = value.trim();
  try {
    if (current) window.sessionStorage.setItem(kKey, current);
    else window.sessionStorage.removeItem(kKey);
  } catch {
    // as above
  }
}

export function authorization(): Record<string, string> {
  return current ? { Authorization: `Bearer ${current}` } : {};
}
