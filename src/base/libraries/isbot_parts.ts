export { isbot } from "isbot";
