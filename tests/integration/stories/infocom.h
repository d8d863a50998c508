! The answers of Infocom's family of parsers, as they are generally known: an unknown word is quoted, what is not here is named, refusals are
! jokes that change from try to try, each thing of a room has a line of its own, and no word is said of points.
[ TypedWord w a l i; a = WordAddress(w); l = WordLength(w); for (i = 0 : i < l : i++) print (char) a->i; ];
[ TypedThing from i w; ! from a word on, up to a preposition
  if (from < 2 || from > num_words) from = num_words;
  for (i = from : i <= num_words : i++) { wn = i; w = NextWord(); if (w ~= 0 && (w->#dict_par1) & 8) return; if (i > from) print " "; TypedWord(i); } ];
[ VainTail; print (string) random(" doesn't seem to work.", " isn't notably helpful.", " has no effect."); new_line; ];
[ InVain w; print (string) w, " ", (the) noun; VainTail(); rtrue; ];
[ Refused; print (string) random("A valiant attempt.", "You can't be serious.", "An interesting idea...", "What a concept!", "Not bloody likely."); new_line; rtrue; ];
[ Strange; print (string) random("How peculiar!", "What a strange idea!", "That would be a neat trick.", "Bizarre!"); new_line; rtrue; ];
[ ParserError et i w;
  for (i = 1 : i <= num_words : i++) { wn = i; w = NextWord(); if (w == 0 && TryNumber(i) == -1000) { print "I don't know the word ~"; TypedWord(i); print "~.^"; rtrue; } }
  switch (et) {
    1, 2, 15: if (verb_word && random(2) == 1) { print "You used the word ~"; print (address) verb_word; print "~ in a way that I don't understand.^"; } else print "That sentence isn't one I recognize.^"; rtrue;
    3: print "You said something too odd.^"; rtrue;
    4: print "You can't see any "; TypedThing(saved_oops); print " here!^"; rtrue;
    6: print "You don't have that!^"; rtrue;
    7: print "You can't use multiple direct objects with ~", (address) verb_word, "~.^"; rtrue;
    9: "I don't see what you are referring to.";
    11: "You can't talk to that!";
    12: "There was no verb in that sentence!";
    13: "I don't see that here.";
    14: "You can't see any such thing here!";
    16, 17: "There's nothing here you can take.";
  }
  rfalse;
];
Object LibraryMessages with before [ o;
  Miscellany: switch (lm_n) {
    5: "^Would you like to restart the game from the beginning, restore a saved game position, or end this session of the game?^(Type RESTART, RESTORE, or QUIT):";
    3: print " You have died "; rtrue; 4: print " You have won "; rtrue;
    9: "^It is now pitch black.";
    10: "I beg your pardon?";
    17: "It's too dark to see!";
    26: print "(Taken)^"; rtrue;
    27, 28, 31, 41: "That sentence isn't one I recognize.";
    30: "You can't see any such thing here!";
    32: "You don't have that!";
    35: "I don't see what you are referring to.";
    37: "You can't do that to something that isn't alive!";
    38: "There was no verb in that sentence!";
    44: "There's nothing here you can take.";
    45, 46: print "Which do you mean, "; rtrue;
    48, 49: print "What do you want to "; PrintCommand(); print "?^"; rtrue;
    50: rtrue;
  }
  Look: switch (lm_n) {
    5, 6: if (lm_o == location) { new_line; objectloop (o in lm_o) if (o has workflag) {
          print "There is ", (a) o; if (o has light && o hasnt animate) print " (providing light)"; print " here.^";
          if ((o has supporter || (o has container && (o has open || o has transparent))) && child(o)) {
             if (o has supporter) print "Sitting on ", (the) o, " is "; else print "The ", (name) o, " contains ";
             WriteListFrom(child(o), ENGLISH_BIT+CONCEAL_BIT); print ".^"; } } rtrue; }
      print "^"; if (lm_o has supporter) print "Sitting on "; else print "In "; print (the) lm_o, " is "; WriteListFrom(child(lm_o), ENGLISH_BIT+RECURSE_BIT+CONCEAL_BIT+WORKFLAG_BIT); ".";
    4: print "^Sitting on ", (the) lm_o, " is "; WriteListFrom(child(lm_o), ENGLISH_BIT+RECURSE_BIT+CONCEAL_BIT); ".";
    7: "You see nothing special.";
  }
  Take: switch (lm_n) {
    1: "Taken."; 2: "How romantic!"; 3: print_ret "The ", (name) lm_o, " would object."; 4,5: "You already have that!"; 6: "You can't take that from there.";
    7,8: "You can't take that."; 9: print_ret "The ", (name) lm_o, " is closed.";
    10, 11: return Refused(); 12: "You're holding too many things already!"; 13: "(moving some things to the sack)";
    default: return Refused();
  }
  Attack: if (lm_o has animate) print_ret "Trying to attack ", (a) lm_o, " with your bare hands is suicidal."; print_ret "I've known strange people, but fighting ", (a) lm_o, "?";
  Blow: print_ret "You can't blow that up!"; Burn: print_ret "You can't burn ", (a) lm_o, ".";
  Buy: "Sorry, it isn't for sale."; Climb, JumpOver, JumpOn, JumpIn: return Strange(); Jump: print (string) random("Very good. Now you can go to the second grade.", "Are you enjoying yourself?", "Wheeeeeeeeee!!!!!", "Do you expect me to applaud?"); new_line; rtrue;
  Close: switch (lm_n) { 1: print_ret "You must tell me how to do that to ", (a) lm_o, "."; 2: "It is already closed."; default: "Closed."; }
  Open: switch (lm_n) { 1: print_ret "You must tell me how to do that to ", (a) lm_o, "."; 2: print_ret "The ", (name) lm_o, " is locked."; 3: "It is already open.";
    4: print "Opening ", (the) lm_o, " reveals "; if (child(lm_o) == 0) "nothing."; WriteListFrom(child(lm_o), ENGLISH_BIT+CONCEAL_BIT); "."; default: "Opened."; }
  Unlock: switch (lm_n) { 1, 3: "It doesn't seem to work."; 2: print_ret "The ", (name) lm_o, " isn't locked."; default: print_ret "The ", (name) lm_o, " is now unlocked."; }
  Lock: if (lm_n < 5) "It doesn't seem to work."; "The lock clicks shut.";
  Consult: "You find nothing."; Cut: print_ret "Strange concept, cutting ", (the) lm_o, "...."; Dig: "There's no reason to be digging here.";
  Disrobe: if (lm_n == 1) "You aren't wearing that!"; "Okay, you're no longer wearing it."; Wear: switch (lm_n) { 1: print_ret "You can't wear ", (the) lm_o, "."; 2, 3: "You're already wearing that!"; default: print_ret "Okay, you're wearing ", (the) lm_o, "."; }
  Drink: return Strange(); Eat: if (lm_n == 1) print_ret "I don't think that ", (the) lm_o, " would agree with you."; "Thank you very much. It really hit the spot.";
  Drop: switch (lm_n) { 1, 2: print_ret "You're not carrying ", (the) lm_o, "."; default: "Dropped."; }
  Enter: if (lm_n < 5) print_ret "You hit your head against ", (the) lm_o, " as you attempt this feat."; print_ret "You are now in ", (the) lm_o, ".";
  Exit: if (lm_n == 3 or 6) "You are on your own feet again."; "You can't go that way.";
  Examine: if (lm_n == 1) "It's too dark to see!"; if (lm_n == 3) { if (lm_o has on) print_ret "The ", (name) lm_o, " is on."; print_ret "The ", (name) lm_o, " is turned off."; } print_ret "There's nothing special about ", (the) lm_o, ".";
  Fill: "There is nothing to fill it with."; Give: if (lm_n == 1) print_ret "You don't have ", (the) lm_o, "."; if (lm_n == 3) print_ret "The ", (name) lm_o, " refuses it politely."; Show: print_ret "The ", (name) lm_o, " doesn't seem interested.";
  Go: switch (lm_n) { 1: print_ret "You'll have to get out of ", (the) lm_o, " first."; 2: "You can't go that way."; 5: print_ret "The ", (name) lm_o, " is closed."; default: print_ret "The ", (name) lm_o, " is closed."; }
  Insert, PutOn: switch (lm_n) { 7, 8, 9: "Done."; 1: "You don't have that!"; 2: "You can't do that."; 3: print_ret "The ", (name) lm_o, " isn't open."; default: print_ret "There's no good surface on ", (the) lm_o, "."; }
  Inv: switch (lm_n) { 1: "You are empty-handed."; 2: print "You are carrying"; rtrue; 3: print ":^"; rtrue; 4: print ".^"; rtrue; }
  Kiss: "I'd sooner kiss a pig."; Listen: if (noun) print_ret "The ", (name) noun, " makes no sound."; "You hear nothing unusual."; LookUnder: "There is nothing but dust there.";
  Order: print_ret "The ", (name) lm_o, " pays no attention."; Answer, Ask, AskFor, Tell: if (noun has animate) print_ret "The ", (name) noun, " pays no attention."; print_ret "You can't talk to ", (the) noun, "!"; Pray: "If you pray enough, your prayers may be answered.";
  Pull: return InVain("Pulling"); Push: return InVain("Pushing"); Turn: if (random(2) == 1) return InVain("Turning"); "This has no effect."; PushDir: "You can't push things to that.";
  Rub, Touch, Squeeze: print "Fiddling with ", (the) noun; VainTail(); rtrue; Search: if (lm_n == 4 or 5) "You find nothing unusual."; if (lm_n == 6) print_ret "The ", (name) lm_o, " is empty."; if (lm_n == 7) { print "The ", (name) lm_o, " contains "; WriteListFrom(child(lm_o), ENGLISH_BIT+CONCEAL_BIT); "."; } if (lm_n == 5) print_ret "The ", (name) lm_o, " is closed."; rfalse;
  Score: print "Your score is ", score, " (total of ", MAX_SCORE, " points), in ", turns, " moves.^This gives you the rank of Beginner"; rtrue;
  Set, SetTo: "That has no effect."; Sing: "You sing very badly."; Sleep: "There's nothing to sleep on here."; Smell: if (noun) print_ret "It smells just like ", (a) noun, "."; "You smell nothing unusual.";
  SwitchOn: switch (lm_n) { 1: "You can't turn that on."; 2: "It is already on."; default: print_ret "The ", (name) lm_o, " is now on."; }
  SwitchOff: switch (lm_n) { 1: "You can't turn that off."; 2: "It is already off."; default: print_ret "The ", (name) lm_o, " is now off."; }
  Swim: "You can't swim here!"; Swing: "Whoosh!"; Taste: return Strange(); Think: "Go ahead."; ThrowAt: "Thrown."; Tie: print_ret "You can't tie ", (the) noun, " to that.";
  Wait: "Time passes..."; Wake, WakeOther: print_ret "The ", (name) noun, " isn't sleeping."; Wave: return InVain("Waving"); WaveHands: "Hello.";
  NotifyOn: notify_mode = false; "That sentence isn't one I recognize.";
  LMode1: "Brief descriptions.";  LMode2: "Maximum verbosity."; Strong, Mild: "Such language in a high-class establishment like this!"; Yes, No: "You sound rather positive!"; Sorry: "No need to be.";
];
