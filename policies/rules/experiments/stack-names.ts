export { labStackNames } from "../../../components/core/lab-stacks";
