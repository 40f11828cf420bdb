export { eastAsianWidth } from "get-east-asian-width";
