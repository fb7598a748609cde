import { serve } from "../../core/crossguard";
import { lab } from "./rules";

serve(lab);
