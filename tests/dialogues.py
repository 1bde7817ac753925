"""Little dialogues on a dozen subjects: what was asked before, what is asked then, and how that must be read.

The third field is empty where a question stands alone: it must be left as it is. The fourth names words of the question
before that a right reading no longer has. The questions were written before the rules that read them; where a rule says
the same in other words, the reading was put in these afterwards.
"""

from typing import Final, NamedTuple


class Dialogue(NamedTuple):
    """What was asked, oldest first and parted by bars, the question, and how it must be read."""

    before: str
    asked: str
    read_as: str = ""
    lacks: str = ""


FOLLOW_UPS: Final = (
    # law
    Dialogue(
        "How long is the notice period for a tenant?",
        "And for a landlord?",
        "How long is the notice period for a landlord?",
        "tenant",
    ),
    Dialogue("Can a landlord raise the rent every year?", "And why?", "Why can a landlord raise the rent every year?"),
    Dialogue(
        "Must a will be signed by witnesses?",
        "How many of them?",
        "How many of them? (a will signed by witnesses)",
    ),
    Dialogue(
        "When does a contract become void?",
        "Are there exceptions?",
        "Are there exceptions? (a contract becomes void)",
    ),
    Dialogue(
        "Who may appeal against a judgment?",
        "Within what time?",
        "Within what time? (who may appeal against a judgment)",
    ),
    Dialogue(
        "Is a verbal agreement binding?", "Is that true for minors too?", "Is a verbal agreement binding for minors?"
    ),
    Dialogue(
        "What is the penalty for late payment of tax?",
        "Can it be reduced?",
        "Can the penalty for late payment of tax be reduced?",
    ),
    Dialogue("Which documents does the court accept?", "What else?", "Which other documents does the court accept?"),
    # machines
    Dialogue(
        "How often must the hydraulic pump be serviced?", "Why is that?", "Why must the hydraulic pump be serviced?"
    ),
    Dialogue("What oil does the gearbox need?", "How much of it?", "How much oil does the gearbox need?"),
    Dialogue("Which bolts are tightened first?", "And then?", "Then? (bolts tightened first)"),
    Dialogue(
        "How do I replace the filter of the compressor?",
        "What if it is stuck?",
        "How do I replace the filter of the compressor if it is stuck?",
    ),
    Dialogue(
        "What is the melting point of Xylex?", "And the density?", "What is the density of Xylex?", "melting point"
    ),
    Dialogue("What is the fee of the Orr Club?", "and the age limit?", "What is the age limit of the Orr Club?", "fee"),
    Dialogue("What is the price of the drill?", "and the saw?", "What is the price of the saw?", "drill"),
    Dialogue("How can I contact the officer?", "And his deputy?", "How can I contact the officer's deputy?"),
    Dialogue("Who is the second cook?", "and his number?", "What is the second cook's number?"),
    Dialogue("Who is the head rigger?", "And her deputy?", "Who is the head rigger's deputy?"),
    Dialogue("What does the goods lift cost?", "and its rope?", "What does the goods lift's rope cost?"),
    Dialogue(
        "Who has the keys of the captain and the cook?",
        "and his phone?",
        "His phone? (who has the keys of the captain and the cook)",
    ),
    Dialogue("May dogs stay in the cabin?", "What does it cost?", "What does it cost? (dogs stay in the cabin)"),
    Dialogue("How heavy is the drill?", "What does it cost?", "What does the drill cost?"),
    Dialogue("How long is the pump log kept?", "Thanks! And the fuel log?", "How long is the fuel log kept?", "pump"),
    Dialogue("What is the torque for M8 bolts?", "For M10?", "What is the torque for M10?", "M8"),
    Dialogue(
        "May the lathe be cleaned with compressed air?",
        "Why not?",
        "Why may the lathe not be cleaned with compressed air?",
    ),
    Dialogue(
        "Who may operate the crane?", "Does this also apply to apprentices?", "Who may operate the crane (apprentices)?"
    ),
    Dialogue(
        "At what temperature does the boiler shut down?",
        "How long does it stay off?",
        "How long does the boiler stay off?",
    ),
    # kitchens
    Dialogue(
        "How long do I boil an egg?",
        "And if it comes from the fridge?",
        "How long do I boil an egg if it comes from the fridge?",
    ),
    Dialogue("What makes bread rise?", "Can you explain?", "What makes bread rise?"),
    Dialogue(
        "How long can cooked rice be kept in the fridge?",
        "In the freezer?",
        "How long can cooked rice be kept in the freezer?",
        "fridge",
    ),
    Dialogue("Which flour is used for pasta?", "Same for pizza?", "Which flour is used for pizza?", "pasta"),
    Dialogue("Should pasta water be salted?", "When?", "When should pasta water be salted?"),
    Dialogue("How do you sharpen a knife?", "How often should I do that?", "How often should I sharpen a knife?"),
    Dialogue(
        "Which knives are used for fish?",
        "Are they sharpened on one side?",
        "Are the knives used for fish sharpened on one side?",
    ),
    Dialogue("What is sourdough?", "Tell me more.", "What is sourdough?"),
    # biology
    Dialogue("What is osmosis?", "Why does it happen?", "Why does osmosis happen?"),
    Dialogue("What do mitochondria do?", "Where are they found?", "Where are mitochondria found?"),
    Dialogue("Which enzymes digest starch?", "What about proteins?", "Which enzymes digest proteins?", "starch"),
    Dialogue("How do frogs breathe?", "And toads?", "How do toads breathe?", "frogs"),
    Dialogue(
        "What is the function of the left ventricle?",
        "And of the right one?",
        "What is the function of the right ventricle?",
        "left",
    ),
    Dialogue("Where is insulin produced?", "By which cells?", "By which cells is insulin produced?"),
    Dialogue(
        "What is the largest bone of the human body?",
        "And the smallest?",
        "What is the smallest bone of the human body?",
        "largest",
    ),
    Dialogue("Do all birds fly?", "Which ones do not?", "Which birds do not fly?"),
    Dialogue("Are there carnivorous plants?", "Which ones?", "Which carnivorous plants are there?"),
    # finance
    Dialogue(
        "What is the interest rate on a savings account?",
        "On a loan?",
        "What is the interest rate on a loan?",
        "savings",
    ),
    Dialogue("Can I close my account online?", "How?", "How can I close my account online?"),
    Dialogue(
        "What is the fee for a transfer to Norway?",
        "Is it the same for Iceland?",
        "What is the fee for a transfer to Iceland?",
        "Norway",
    ),
    Dialogue(
        "Who approves invoices above 5,000 euros?", "And below?", "Who approves invoices below 5,000 euros?", "above"
    ),
    Dialogue("Do I have to declare dividends?", "Since when?", "Since when do I have to declare dividends?"),
    Dialogue("When was the euro introduced?", "By whom?", "By whom was the euro introduced?"),
    Dialogue(
        "What was the revenue in the first quarter?",
        "In the second one?",
        "What was the revenue in the second quarter?",
        "first",
    ),
    Dialogue(
        "What was the operating margin in 2022?", "And in 2023?", "What was the operating margin in 2023?", "2022"
    ),
    # football and games
    Dialogue(
        "How many substitutes are allowed?", "And in extra time?", "How many substitutes are allowed in extra time?"
    ),
    Dialogue("When is a player offside?", "Who decides that?", "Who decides that? (a player offside)"),
    Dialogue(
        "What is the penalty for a handball?",
        "Even if it is accidental?",
        "What is the penalty for a handball even if it is accidental?",
    ),
    Dialogue(
        "Can a goalkeeper score a goal?",
        "Has that ever happened?",
        "Has that ever happened? (a goalkeeper score a goal)",
    ),
    Dialogue("How long is the half-time break?", "Can it be extended?", "Can the half-time break be extended?"),
    Dialogue("Which pieces can jump in chess?", "How do they move?", "How do the pieces that can jump in chess move?"),
    # software
    Dialogue("How do I install the plugin?", "And how do I remove it?", "How do I remove the plugin?"),
    Dialogue("Which databases are supported?", "Anything else?", "Which other databases are supported?"),
    Dialogue("What does the verbose flag do?", "Is it on by default?", "Is the verbose flag on by default?"),
    Dialogue("How is the cache cleared?", "What happens then?", "What happens then? (the cache cleared)"),
    Dialogue(
        "Which ports does the server listen on?", "Can I change them?", "Can I change the ports the server listens on?"
    ),
    Dialogue("Do administrators need a token?", "Who does?", "Who does need a token?"),
    Dialogue("What is a deadlock?", "Can you give me an example?", "Give an example: What is a deadlock?"),
    # travel and buildings
    Dialogue(
        "When is the canteen open in the south building?",
        "And in the north building?",
        "When is the canteen open in the north building?",
        "south",
    ),
    Dialogue("Where can I park a bicycle?", "And a motorbike?", "Where can I park a motorbike?", "bicycle"),
    Dialogue(
        "Is breakfast included in the room rate?",
        "What about dinner?",
        "Is dinner included in the room rate?",
        "breakfast",
    ),
    Dialogue(
        "When does the last bus leave on weekdays?",
        "On Sundays?",
        "When does the last bus leave on Sundays?",
        "weekdays",
    ),
    Dialogue("Who has the keys to the attic?", "And if she is away?", "Who has the keys to the attic if she is away?"),
    Dialogue("Are dogs allowed in the hotel?", "Only small ones?", "Are only small dogs allowed in the hotel?"),
    # history and the earth
    Dialogue(
        "Who built the lighthouse of Alexandria?",
        "When was it destroyed?",
        "When was the lighthouse of Alexandria destroyed?",
    ),
    Dialogue("Where was Marie Curie born?", "When did she die?", "When did Marie Curie die?"),
    Dialogue("When is the manager in?", "What is her number?", "What is the manager's number?"),
    Dialogue("What is the fee for a member?", "Does he get a discount?", "Does a member get a discount?"),
    Dialogue("How old is my dog?", "How much does she weigh?", "How much does my dog weigh?"),
    Dialogue("Who was the first king of Norway?", "The second one?", "Who was the second king of Norway?", "first"),
    Dialogue("What causes earthquakes?", "Where do they occur most often?", "Where do earthquakes occur most often?"),
    Dialogue("How deep is Lake Baikal?", "How old is it?", "How old is Lake Baikal?"),
    # chains, and after a change of subject
    Dialogue(
        "Which gloves are needed for ethers? | What about acids?",
        "And for bases?",
        "Which gloves are needed for bases?",
        "ethers acids",
    ),
    Dialogue("What is a moraine? | How is it formed?", "Where are they found?", "Where are moraines found?"),
    Dialogue(
        "How deep is Lake Baikal? | Which fish live in Lake Ohrid?",
        "How old is it?",
        "How old is Lake Ohrid?",
        "Baikal",
    ),
    Dialogue("Who wrote Emma? | When was it published?", "Where?", "Where was Emma published?"),
    Dialogue(
        "Is the museum open on Mondays? | And on Tuesdays?",
        "What about Wednesdays?",
        "Is the museum open on Wednesdays?",
        "Mondays Tuesdays",
    ),
    Dialogue("What is a quorum? | Why is it needed? | How is it counted?", "By whom?", "By whom is a quorum counted?"),
    # another member of a family of words, another thing where one alone was named
    Dialogue("visiting hours sunday", "and on saturday", "visiting hours saturday", "sunday"),
    Dialogue(
        "What are the visiting hours on Sunday?", "saturday?", "What are the visiting hours on saturday?", "Sunday"
    ),
    Dialogue("What does blue smoke mean?", "And black?", "What does black smoke mean?", "blue"),
    Dialogue("What is the rate of 2023?", "And 2024?", "What is the rate of 2024?", "2023"),
    Dialogue("When is the paper collected?", "And plastic?", "When is plastic collected?", "paper"),
    Dialogue("How much is a wash?", "and the dryer?", "How much is the dryer?", "wash"),
    Dialogue("Can I keep a dog?", "And two dogs?", "Can I keep two dogs?"),
    Dialogue("What happens if I cheat?", "And a second time?", "What happens if I cheat a second time?"),
    Dialogue("What is the loan fee?", "And the year before?", "What is the loan fee the year before?"),
    Dialogue("How often do I change the oil?", "who does it?", "Who does change the oil?"),
    Dialogue("How high may a headstone be?", "And how wide?", "How wide may a headstone be?", "high"),
    # written later, and not looked at before they were measured
    Dialogue(
        "how many vacation days do part-time employees get",
        "and full-time employees",
        "how many vacation days do full-time employees get",
        "part-time",
    ),
    Dialogue(
        "how many vacation days do part-time employees get",
        "can they carry them over",
        "Can they carry them over (vacation days part-time employees get)",
    ),
    Dialogue("when do sick notes have to be handed in", "and to whom", "To whom do sick notes have to be handed in?"),
    Dialogue("Is overtime paid?", "how much", "how much (overtime paid)"),
    Dialogue(
        "What is the dosage of ibuprofen for adults?",
        "for children?",
        "What is the dosage of ibuprofen for children?",
        "adults",
    ),
    Dialogue(
        "What is the dosage of ibuprofen for adults?",
        "Can it be taken with alcohol?",
        "Can the dosage of ibuprofen for adults be taken with alcohol?",
    ),
    Dialogue(
        "Should I take the tablets before breakfast?",
        "Or after?",
        "Should I take the tablets after breakfast?",
        "before",
    ),
    Dialogue(
        "Which side effects does the vaccine have?",
        "How long do they last?",
        "How long do the side effects the vaccine has last?",
    ),
    Dialogue(
        "Which side effects does the vaccine have?",
        "Are they dangerous for pregnant women?",
        "Are the side effects the vaccine has dangerous for pregnant women?",
    ),
    Dialogue("How do I tune a guitar?", "What about a ukulele?", "How do I tune a ukulele?", "guitar"),
    Dialogue("Who composed The Planets?", "When was it first performed?", "When was The Planets first performed?"),
    Dialogue(
        "How many strings does a violin have?",
        "And a double bass?",
        "How many strings does a double bass have?",
        "violin",
    ),
    Dialogue(
        "How many strings does a violin have?", "What are they made of?", "What are the strings a violin has made of?"
    ),
    Dialogue("What is the longest river in Africa?", "And in Asia?", "What is the longest river in Asia?", "Africa"),
    Dialogue("What is the longest river in Africa?", "How long is it?", "How long is the longest river in Africa?"),
    Dialogue(
        "What is the longest river in Africa?",
        "Which countries does it flow through?",
        "Which countries does the longest river in Africa flow through?",
    ),
    Dialogue("Where does the Danube rise?", "Where does it end?", "Where does the Danube end?"),
    Dialogue("Why is the Dead Sea so salty?", "Can people swim in it?", "Can people swim in the Dead Sea?"),
    Dialogue(
        "What are the admission requirements for the master programme?",
        "Do they also apply to transfer students?",
        "Do the admission requirements for the master programme also apply to transfer students?",
    ),
    Dialogue("When is the exam?", "How long will it take?", "How long will the exam take?"),
    Dialogue(
        "Are calculators allowed in the exam?", "What about phones?", "Are phones allowed in the exam?", "calculators"
    ),
    Dialogue("Are calculators allowed in the exam?", "Why not?", "Why are calculators not allowed in the exam?"),
    Dialogue("How is the final grade calculated?", "Can I appeal against it?", "Can I appeal against the final grade?"),
    Dialogue("Who grades the thesis?", "Within how many weeks?", "Within how many weeks? (who grades the thesis)"),
    Dialogue("Does the library lend laptops?", "For how long?", "For how long does the library lend laptops?"),
    Dialogue("Does the library lend laptops?", "To guests too?", "Does the library lend laptops to guests too?"),
    Dialogue("Does the library lend laptops?", "How do I reserve one?", "How do I reserve a laptop?"),
    Dialogue("What is a black hole?", "How are they formed?", "How are black holes formed?"),
    Dialogue("What is a black hole?", "Who discovered the first one?", "Who discovered the first black hole?"),
    Dialogue(
        "Can I return shoes that I bought online?",
        "Even if I have worn them?",
        "Can I return shoes that I bought online even if I have worn them?",
    ),
    Dialogue(
        "Can I return shoes that I bought online?",
        "Who pays for the shipping in that case?",
        "Who pays for the shipping in that case? (I return shoes that I bought online)",
    ),
    Dialogue(
        "When does the shop close on Saturdays? | And on Sundays?",
        "Is it open on Christmas Eve?",
        "Is the shop open on Christmas Eve?",
    ),
    Dialogue(
        "What does the guarantee cover? | How long is it valid?",
        "And for used devices?",
        "How long is the guarantee valid for used devices?",
    ),
    Dialogue("How tall is the Eiffel Tower? | When was it built?", "Why?", "Why was the Eiffel Tower built?"),
    Dialogue("What is chlorophyll?", "And what does it do?", "What does chlorophyll do?"),
    # in chains over the sample library
    Dialogue(
        "What is a fume hood?", "What does the red light on it mean?", "What does the red light on a fume hood mean?"
    ),
    Dialogue(
        "What is a fume hood? | What does the red light on it mean?",
        "And the yellow one?",
        "What does the yellow light on a fume hood mean?",
        "red",
    ),
    Dialogue(
        "Where are acutely toxic substances of class C kept?", "And oxidisers?", "Where are oxidisers kept?", "toxic"
    ),
    Dialogue("How often is there a fire drill?", "How long may it take?", "How long may a fire drill take?"),
    # a second and a third time later
    Dialogue("How do bees find flowers?", "And butterflies?", "How do butterflies find flowers?", "bees"),
    Dialogue("Which train goes to Turin?", "When does it leave?", "When does the train that goes to Turin leave?"),
    Dialogue(
        "Which train goes to Turin?", "Does it stop in Novara?", "Does the train that goes to Turin stop in Novara?"
    ),
    Dialogue("Is the pass closed in winter?", "Since when?", "Since when is the pass closed in winter?"),
    Dialogue("Who signs the minutes?", "And who keeps them?", "Who keeps the minutes?"),
    Dialogue("How is cement made?", "Is that harmful to the climate?", "Is that harmful to the climate? (cement made)"),
    Dialogue(
        "What is the speed limit on motorways?", "And in towns?", "What is the speed limit in towns?", "motorways"
    ),
    Dialogue(
        "What is the speed limit on motorways?",
        "Does it apply to lorries?",
        "Does the speed limit on motorways apply to lorries?",
    ),
    Dialogue(
        "Which vaccinations do I need for Kenya?",
        "Where can I get them?",
        "Where can I get the vaccinations I need for Kenya?",
    ),
    Dialogue("Do I need a visa for Kenya?", "And for Uganda?", "Do I need a visa for Uganda?", "Kenya"),
    Dialogue("Do I need a visa for Kenya?", "How do I apply for it?", "How do I apply for a visa for Kenya?"),
    Dialogue("Do I need a visa for Kenya?", "How much does it cost?", "How much does a visa for Kenya cost?"),
    Dialogue(
        "What did Darwin study in Galapagos?", "How long did he stay there?", "How long did Darwin stay in Galapagos?"
    ),
    Dialogue("Where was Darwin born?", "And when?", "When was Darwin born?"),
    Dialogue(
        "Can minors open an account?", "Under what conditions?", "Under what conditions can minors open an account?"
    ),
    Dialogue("Can minors open an account?", "From what age?", "From what age can minors open an account?"),
    Dialogue(
        "What temperature should the wine cellar have?",
        "And what humidity?",
        "what humidity should the wine cellar have?",
    ),
    Dialogue("When must the annual report be published?", "Who approves it?", "Who approves the annual report?"),
    Dialogue(
        "When must the annual report be published?",
        "And the quarterly one?",
        "When must the quarterly report be published?",
        "annual",
    ),
    Dialogue(
        "How many employees does the plant have?",
        "And how many did it have in 2019?",
        "How many employees did the plant have in 2019?",
    ),
    Dialogue("Is rabbit meat sold here?", "What about venison?", "Is venison sold here?", "rabbit"),
    Dialogue(
        "Is the lift accessible for wheelchairs?",
        "Are there alternatives?",
        "Are there alternatives? (the lift accessible for wheelchairs)",
    ),
    Dialogue(
        "What happens if the pilot is ill?",
        "And if the copilot is ill too?",
        "What happens if the copilot is ill too?",
        "pilot",
    ),
    Dialogue("What is entropy?", "Why does it increase?", "Why does entropy increase?"),
    Dialogue("Why do cats purr?", "Do lions do that too?", "Do lions purr too?"),
    Dialogue(
        "Which paints are toxic?",
        "Can they be disposed of in the sink?",
        "Can the paints that are toxic be disposed of in the sink?",
    ),
    Dialogue("Which paints are toxic?", "Which are not?", "Which paints are not toxic?"),
    Dialogue("Does the roof leak when it rains?", "Has it been repaired?", "Has the roof been repaired?"),
    Dialogue(
        "What are the rules of curling? | How many players are there?",
        "And in ice hockey?",
        "How many players are there in ice hockey?",
    ),
    Dialogue("Who was Ada Lovelace? | When did she live?", "What did she write?", "What did Ada Lovelace write?"),
    Dialogue("What is a mortgage? | How long does it run?", "Can I repay it early?", "Can I repay a mortgage early?"),
    Dialogue(
        "How much flour goes into the dough?", "And how much yeast?", "how much yeast goes into the dough?", "flour"
    ),
    Dialogue("Where is the server room?", "Who has access to it?", "Who has access to the server room?"),
    Dialogue(
        "Which backups are made at night?", "How long are they kept?", "How long are the backups made at night kept?"
    ),
    Dialogue("Which backups are made at night?", "Are they encrypted?", "Are the backups made at night encrypted?"),
    Dialogue("What does error 42 mean?", "And error 43?", "What does error 43 mean?", "42"),
    Dialogue("What does error 42 mean?", "How do I fix it?", "How do I fix error 42?"),
    Dialogue("Who may drive the company car?", "Also abroad?", "Who may drive the company car (abroad)?"),
    Dialogue("Who may drive the company car?", "Does the same apply to the van?", "Who may drive the van?", "car"),
    Dialogue("How often does the committee meet?", "Where does it meet?", "Where does the committee meet?"),
    Dialogue("How often does the committee meet?", "Who chairs it?", "Who chairs the committee?"),
    Dialogue("Is the north stand covered?", "And the south stand?", "Is the south stand covered?", "north"),
    Dialogue(
        "What was the score in the first half?",
        "And in the second half?",
        "What was the score in the second half?",
        "first",
    ),
    Dialogue("Which trees lose their leaves?", "When?", "When? (trees lose their leaves)"),
    Dialogue(
        "Which trees lose their leaves?", "Why do they do that?", "Why do they do that? (trees lose their leaves)"
    ),
    Dialogue("Are tips taxable?", "In Germany?", "Are tips taxable in Germany?"),
    Dialogue("Are tips taxable?", "Above which amount?", "Above which amount are tips taxable?"),
    Dialogue(
        "Can I prune roses in autumn?",
        "Or is it better in spring?",
        "Is it better in spring? (I prune roses in autumn)",
    ),
    Dialogue("How are planets named?", "And moons?", "How are moons named?", "planets"),
    Dialogue("When did the Berlin Wall fall?", "How long was it?", "How long was the Berlin Wall?"),
    Dialogue("When did the Berlin Wall fall?", "Who built it?", "Who built the Berlin Wall?"),
    Dialogue(
        "How long does a patent last? | Can it be renewed?", "And a trademark?", "Can a trademark be renewed?", "patent"
    ),
    Dialogue(
        "How long does a patent last? | Where do I apply for one?",
        "How much does that cost?",
        "How much does that cost? (I apply for a patent)",
    ),
    Dialogue("Does the hotel have a gym? | And a pool?", "When is it open?", "When is a pool open?"),
    Dialogue("What is whey? | Is it healthy?", "Why?", "Why is whey healthy?"),
    Dialogue("What did the Romans eat? | And the Greeks?", "Did they use forks?", "Did the Greeks use forks?"),
    # an owner's name
    Dialogue("What was Halden's turnover in 2021?", "And for Brisk?", "What was Brisk's turnover in 2021?", "Halden"),
    Dialogue("What was Halden's turnover in 2021?", "And Brisk's?", "What was Brisk's turnover in 2021?", "Halden"),
    Dialogue("What was Halden's turnover in 2021?", "And in 2022?", "What was Halden's turnover in 2022?", "2021"),
    Dialogue("What colour is a fox's tail?", "And a wolf's?", "What colour is a wolf's tail?", "fox"),
    Dialogue("How many teeth does a horse jaw have?", "And a cow's?", "How many teeth does a cow's jaw have?", "horse"),
    Dialogue("How deep is the Fulda?", "And the Werra's?", "How deep is the Werra?", "Fulda"),
    Dialogue("What grows here in winter?", "And during summer?", "What grows here in summer?", "winter"),
    Dialogue("What is worn during cleaning?", "And in the yard?", "What is worn during cleaning in the yard?"),
    Dialogue("What is yeast?", "And why does it matter to bakers?", "Why does yeast matter to bakers?"),
    Dialogue(
        "Why are masks required for dust?", "Is that true for fumes too?", "Why are masks required for fumes?", "dust"
    ),
    Dialogue(
        "What is worn when handling group A agents?", "And group B?", "What is worn when handling group B agents?"
    ),
    Dialogue("Who may enter at night?", "Does that apply to visitors?", "Who may enter at night (visitors)?"),
    Dialogue("Where is diesel kept?", "How many litres?", "How many litres? (diesel kept)"),
    Dialogue("What was Reed & Stone's profit?", "What about Brisk?", "What was Brisk's profit?", "Stone"),
    Dialogue("What is Halden's turnover in Spain?", "And Italy?", "What is Halden's turnover in Italy?", "Spain"),
)
"""Follow-ups of all forms."""

MISREAD: Final = (
    Dialogue("How is gold mined?", "Silver?", "How is silver mined?"),
    Dialogue(
        "What is a fuse?",
        "What is the difference between it and a breaker?",
        "What is the difference between a fuse and a breaker?",
    ),
    Dialogue("How is gold mined?", "Doesn't that pollute rivers?", "Doesn't that pollute rivers? (gold mined)"),
    Dialogue("What is the dosage of ibuprofen for adults?", "Is it a painkiller?", "Is ibuprofen a painkiller?"),
    Dialogue("What is entropy?", "Who introduced the concept?", "Who introduced the concept of entropy?"),
    Dialogue(
        "What is the deductible for water damage?",
        "Is it higher for storm damage?",
        "Is the deductible higher for storm damage?",
    ),
    Dialogue("What is the role of the spleen?", "Can one live without it?", "Can one live without the spleen?"),
    Dialogue(
        "Which planet has the most moons?",
        "How many does it have?",
        "How many moons does the planet that has the most moons have?",
    ),
)
"""Follow-ups that are not read yet, or not as they are meant."""

STAND_ALONE: Final = (
    Dialogue("How long is the pump log kept?", "Great. Who keeps the fuel log?"),
    # "and", "but", "so", "or" before a whole question
    Dialogue("What is the capital of Norway?", "And what is the capital of France?"),
    Dialogue("Which fee applies to cats?", "But which fee applies to dogs?"),
    Dialogue("Who chairs the meeting?", "So what is a quorum?"),
    Dialogue("When is rent due?", "And is the deposit refunded at the end?"),
    Dialogue("How is steel hardened?", "And how do I weld aluminium?"),
    Dialogue("Is the pump electric?", "Or does the compressor run on diesel?"),
    Dialogue("What does a striker do?", "And name the rules for a throw-in."),
    Dialogue("What is the fee for a passport?", "But tell me how to renew a driving licence."),
    # words of courtesy
    Dialogue("What is the loan fee?", "ok thanks"),
    Dialogue("What is the loan fee?", "Thank you very much!"),
    Dialogue("When does it open on Sundays and Mondays?", "Tuesday?"),  # in whose place?
    Dialogue("When was the Muscat bottled?", "Sunday?"),
    # why, when, where, who and how with a subject of their own
    Dialogue("What is photosynthesis?", "Why do leaves fall?"),
    Dialogue("How is cheese made?", "Why not use soap on cast iron?"),
    Dialogue("When did the war end?", "Who else signed the treaty of Versailles?"),
    Dialogue("What does a crane lift?", "What else is in the toolbox of the fitter?"),
    Dialogue("How is bread baked?", "How about the history of Bergen: who founded the town?"),
    Dialogue("Where is the archive?", "Where else are copies of the deeds kept?"),
    # "it" that stands for nothing, or for what follows
    Dialogue("What is yeast?", "What is it that makes bread rise?"),
    Dialogue("Which metals are magnetic?", "Is it true that copper conducts?"),
    Dialogue("Who owns the park?", "Is it allowed to fly drones in the park?"),
    Dialogue("How is dough kneaded?", "How long does it take to bake a loaf?"),
    Dialogue("Who runs the museum?", "What does it cost to enter the castle?"),
    Dialogue("What is a budget?", "Is it possible to deduct travel expenses from tax?"),
    Dialogue("Who coaches the team?", "Why is it important to warm up before a match?"),
    Dialogue("What is the capital of Peru?", "How far is it from Lima to Cusco?"),
    Dialogue("Where is the north pole?", "What time is it in Tokyo?"),
    Dialogue("What is a monsoon?", "When does it rain in Kerala?"),
    Dialogue("What is a fjord?", "How cold is it in Tromsø in winter?"),
    Dialogue("Which bus goes to the airport?", "Who was it that invented the telephone?"),
    Dialogue("What is a commit?", "Does it matter whether a branch name contains a slash?"),
    Dialogue("How do I open a file?", "What does it mean to rebase a branch?"),
    Dialogue("Who may vote?", "Is it a crime to sell fireworks without a licence?"),
    Dialogue("What is a lease?", "If it rains, is the match postponed?"),
    Dialogue("What is enzyme activity?", "How does it come that whales need air?"),
    # this, that, these, those, the same, with what they stand for
    Dialogue("What is a robin?", "Is that bird over the harbour a cormorant?"),
    Dialogue("Who pays the fine?", "Are those who are under 16 allowed to work at night?"),
    Dialogue("Which forms are there?", "What are these forms for: A12 and B7?"),
    Dialogue("What is a variable?", "What is that which a class inherits called?"),
    Dialogue("What is rugby?", "Do the same rules apply to men and women in handball?"),
    Dialogue("What is a drone?", "Who, these days, still repairs typewriters?"),
    Dialogue("Where is the exit?", "What does this manual say about oil leaks?"),
    Dialogue("What is sodium?", "Are potassium and sodium stored in the same cabinet?"),
    Dialogue("What is a lien?", "Is this contract governed by the law of Denmark?"),
    Dialogue("Who won the cup?", "Does this season of the league end in May?"),
    # the thing is named in the question itself, before or after the pronoun
    Dialogue("Who may use a hood?", "What happens to a cell when it dries?"),
    Dialogue("Who may use a hood?", "Is the permit valid in winter, and who renews it?"),
    Dialogue("What is the deposit for a rowing boat?", "Who is she?"),
    Dialogue("Where are rowing boats kept?", "And his?"),
    Dialogue("What does a badge cost?", "And if he loses it?"),
    Dialogue("How deep is Building C?", "Is he there?"),
    Dialogue("What is an opera?", "In his novel Ulysses, which day does Joyce describe?"),
    Dialogue("Who discovered radium?", "When he was 20, where did Einstein live?"),
    Dialogue("Which birds migrate?", "Before they hatch, how do chicks breathe?"),
    Dialogue("What is a loan?", "Who pays for the funeral of a soldier and their family?"),
    Dialogue("How are cells counted?", "Do plants lose their leaves in winter?"),
    Dialogue("What is a server?", "Can a user change her password herself?"),
    Dialogue("What is zinc?", "Why does iron rust when it gets wet?"),
    # what, how about, exceptions, examples, more, with a topic of their own
    Dialogue("What is a class?", "Are there exceptions in Python?"),
    Dialogue("When are pets allowed?", "What are the exceptions to the ban on smoking?"),
    Dialogue("What is diffusion?", "Can you explain how a refrigerator works?"),
    Dialogue("What is diffusion?", "Tell me more about the treaty of Rome."),
    Dialogue("What is a bond?", "Can you give me an example of a convertible bond?"),
    Dialogue("Is the sauna open?", "How many of the players of a team may be foreign?"),
    Dialogue("Who is the caretaker?", "Which one of the two boilers is older?"),
    Dialogue("What is the boiling point of water?", "Which ones of the noble gases react with fluorine?"),
    Dialogue("Who cleans the pool?", "Is there anything else than salt in sea water?"),
    Dialogue("Where is Mali?", "What is the difference between that and which in English?"),
    Dialogue("Where does the ferry land?", "What is the second one of the ten commandments?"),
    # short questions with a subject of their own
    Dialogue("How do frogs breathe?", "Opening hours of the library?"),
    Dialogue("What is a crane?", "Deadline for tax returns?"),
    Dialogue("What is a crane?", "Boiling point of ethanol"),
    Dialogue("How often is oil changed?", "In which year did Iceland become independent?"),
    Dialogue("How often is oil changed?", "For whom is a visa free of charge?"),
    Dialogue("Who leads the project?", "To whom do I send an invoice?"),
    Dialogue("When is the gym open?", "On Sundays, is parking in the old town free?"),
    Dialogue("When is the gym open?", "Even numbers: how are they defined?"),
    # another language, and what is no question of English form
    Dialogue("What is a crane?", "Wie lange dauert es bis zur Rente?"),
    Dialogue("What is a crane?", "Pourquoi les feuilles tombent-elles ?"),
    Dialogue("What is a crane?", "Und warum ist das so?"),
    # written later
    Dialogue("how many vacation days do employees get", "and how is a works council elected"),
    Dialogue("What is a black hole?", "Who was the first woman in space?"),
    Dialogue("Is overtime paid?", "Is there a limit for business gifts?"),
    Dialogue("Can I return shoes?", "Can I park my car in front of the shop while I load it?"),
    Dialogue("When is the exam?", "When the fire alarm rings, who leads the pupils out?"),
    Dialogue("What is ibuprofen?", "How does aspirin work, and is it safe for children?"),
    Dialogue("Who composed The Planets?", "Who sang the song that won the contest in 1974?"),
    Dialogue("Why is the Dead Sea salty?", "Why are flamingos pink?"),
    Dialogue("Where is the Nile?", "Which river is longer, the Rhine or the Elbe?"),
    Dialogue("What is a fugue?", "what is that instrument called that you play by moving your hands in the air"),
    Dialogue("How tall is K2?", "Is it dangerous to climb without oxygen?"),
    Dialogue("How tall is K2?", "It takes how many days to reach the summit of Everest?"),
    Dialogue("What is a visa?", "Does it make sense to book a hotel early?"),
    Dialogue("What is a visa?", "How much does it cost to send a parcel to Japan?"),
    Dialogue("Who grades the thesis?", "Is this software licence valid for two computers?"),
    Dialogue("Who grades the thesis?", "Does that mean of transport run at night?"),
    Dialogue("Who is the director?", "Do mothers get more leave when they have twins?"),
    Dialogue("Who is the director?", "Why did the Romans build their roads so straight?"),
    Dialogue("What is jazz?", "What is the difference between a viola and its bigger brother, the cello?"),
    Dialogue("What is jazz?", "Which bird lays its eggs in other birds' nests?"),
    Dialogue("What is jazz?", "What do cows eat, and how often do they drink?"),
    Dialogue("Where can I swim?", "Then again, what is the water temperature of the outdoor pool in May?"),
    Dialogue("Where can I swim?", "So, who won the 1954 world cup?"),
    Dialogue("Does the library lend laptops?", "But does the museum lend paintings?"),
    Dialogue("Does the library lend laptops?", "Also, when is the cafeteria open on Fridays?"),
    Dialogue("Does the library lend laptops?", "In case of fire, which exit do I use?"),
    Dialogue("What is chlorophyll?", "For example, which metals float on water?"),
    Dialogue("What is chlorophyll?", "How many of the moons of Jupiter were discovered by Galileo?"),
    Dialogue("What is chlorophyll?", "What else did Leonardo da Vinci invent?"),
    Dialogue("When is the exam?", "After how many missed lessons am I excluded from the course?"),
    Dialogue("When is the exam?", "To what temperature must soup be heated?"),
    Dialogue("When is the exam?", "With which card can I pay in the canteen?"),
    Dialogue("When is the exam?", "Are these the rules for the tournament of 2024: best of three?"),
    Dialogue("When does the shop close?", "How about telling me the phone number of the reception?"),
    Dialogue("When does the shop close?", "Why is it that cats always land on their feet?"),
    Dialogue("When does the shop close?", "Who says that lightning never strikes twice?"),
    Dialogue("When does the shop close?", "Terms of payment for suppliers?"),
    Dialogue("What is a visa?", "What does Kant in his first book say about time?"),
    Dialogue("What is a visa?", "What caused Spain to have a crisis in its own colonies?"),
    # a second and a third time later
    Dialogue("How do bees find flowers?", "How does it feel to walk on the moon?"),
    Dialogue("How do bees find flowers?", "What are the people who collect stamps called?"),
    Dialogue("Which train goes to Turin?", "Is it cheaper to fly to Rome or to take the train?"),
    Dialogue("Is the pass closed in winter?", "Is it safe to drink tap water in Lima?"),
    Dialogue("Who signs the minutes?", "Which minister had his office searched in 2010?"),
    Dialogue("How is cement made?", "Can you tell me where the post office is?"),
    Dialogue("How is cement made?", "And why is the sea salty?"),
    Dialogue("What is the speed limit?", "Do I have to pay for parking if I stay less than an hour?"),
    Dialogue("What is the speed limit?", "Can a bank close an account if its owner has died?"),
    Dialogue("Which vaccinations do I need?", "Has it been proven that coffee prevents headaches?"),
    Dialogue("Do I need a visa?", "When was it decided to move the capital to Brasilia?"),
    Dialogue("Do I need a visa?", "What did Newton say when he saw the apple?"),
    Dialogue("Where was Darwin born?", "Who wrote the opera in which a toreador loves a gypsy who betrays him?"),
    Dialogue("Can minors vote?", "What makes it so hard to learn Finnish?"),
    Dialogue("Can minors vote?", "If they win tonight, do Ajax reach the final?"),
    Dialogue("What temperature is lava?", "Do snakes shed their skin every month?"),
    Dialogue("What temperature is lava?", "At what age can someone sign a contract for himself?"),
    Dialogue("When is the report due?", "Who is responsible for the safety of visitors and their belongings?"),
    Dialogue("When is the report due?", "How did Japan rebuild its economy after the war?"),
    Dialogue("How many employees are there?", "How many of the apostles were fishermen?"),
    Dialogue("Is rabbit sold here?", "What about is the preposition that follows worry: of or about?"),
    Dialogue("Is the lift working?", "What exceptions does the ban on night flights have?"),
    Dialogue("Is the lift working?", "Except for Sundays, when do buses to the harbour run?"),
    Dialogue("What if the pilot is ill?", "What if two buyers bid the same price for a house?"),
    Dialogue("What is entropy?", "Why not plant tomatoes beside potatoes?"),
    Dialogue("What is entropy?", "Same-day delivery: what does that cost?"),
    Dialogue("Why do cats purr?", "That song by the Beatles about a submarine, what is the title?"),
    Dialogue("Which paints are toxic?", "Which ones are the founding members of NATO?"),
    Dialogue("Which paints are toxic?", "Of which metal are coins made?"),
    Dialogue("Does the roof leak?", "Or which of the Balkan states joined the EU first?"),
    Dialogue("What are the rules of curling?", "In what way do the two versions differ?"),
    Dialogue("Who was Ada Lovelace?", "On what grounds may a landlord give notice?"),
    Dialogue("How much flour goes into the dough?", "Why does bread go stale faster in the fridge?"),
    Dialogue("Where is the server room?", "Is it OK to bring a dog to the office?"),
    Dialogue("Where is the server room?", "Does anybody know who left their umbrella in the lobby?"),
    Dialogue("Which backups are made?", "When a user deletes a file, where does it go?"),
    Dialogue("What does error 42 mean?", "What does the abbreviation NATO stand for?"),
    Dialogue("What does error 42 mean?", "And does the printer also scan?"),
    Dialogue("Who may drive the company car?", "Is that part of the contract which deals with holidays still valid?"),
    Dialogue("How often does the committee meet?", "How many goals did Pele score in his career?"),
    Dialogue("Is the north stand covered?", "Why is it called the World Wide Web?"),
    Dialogue("What was the score?", "Do whales nurse their young under water?"),
    Dialogue("Which trees lose their leaves?", "Who was the queen when her son Charles was born?"),
    Dialogue("Which trees lose their leaves?", "What should I do if my card is stolen and somebody uses it?"),
    Dialogue("What is the deductible?", "What is needed for making soap?"),
    Dialogue("Are tips taxable?", "Which of the two parties has to prove the damage?"),
    Dialogue("Are tips taxable?", "How is it possible for a heavy ship to float?"),
    Dialogue("Can I prune roses?", "In spring, which birds return first?"),
    Dialogue("What is the spleen?", "Before surgery, for how long must patients fast?"),
    Dialogue("How are planets named?", "Other than Saturn, which planets have rings?"),
    Dialogue("Which planet has moons?", "Do those with a season ticket pay for the cup final?"),
    Dialogue("When did the wall fall?", "What happens at a full moon?"),
    Dialogue("When did the wall fall?", "What are the alternatives to plastic bags?"),
    Dialogue("How long does a patent last?", "If an employee dies, do his heirs get the wages?"),
    Dialogue("How long does a patent last?", "So which form do I need for a trademark?"),
    Dialogue("Does the hotel have a gym?", "What does it say on the tomb of Keats?"),
    Dialogue("Does the hotel have a gym?", "Since when has Croatia used the euro?"),
    Dialogue("What is whey?", "Why did she, Queen Victoria, wear black?"),
    Dialogue("What is whey?", "Only one of the Beatles was left-handed: who?"),
    Dialogue("What did the Romans eat?", "How do I explain fractions to a child?"),
)
"""Questions that stand alone though they look like follow-ups."""
