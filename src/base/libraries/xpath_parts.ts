export { default } from "xpath";
