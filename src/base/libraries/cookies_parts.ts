export { Cookie, CookieJar } from "tough-cookie";
